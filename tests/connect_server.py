"""A Spark Connect server for the tests: prints its URL, serves until its standard input closes."""

import sys

from assay.engine.session import local_session


def main() -> None:
    spark = local_session(
        "assay-tests-connect",
        cores=2,
        conf={
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        },
    )
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    service = getattr(jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    print(f"sc://127.0.0.1:{getattr(service, 'MODULE$').localPort()}", flush=True)
    sys.stdin.read()
    spark.stop()


if __name__ == "__main__":
    main()
