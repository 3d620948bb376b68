"""A Spark Connect server for the tests. It prints its URL and ends when its input is closed."""

import sys

from assay.engine.session import local_session

# Tests run many small queries. Optimizing their code takes longer than running it, so only the
# first compiler is used. It gets the code cache of both. Spark's 30,000 classes are not verified.
JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)


def main() -> None:
    spark = local_session(
        "assay-tests-connect",
        cores=2,
        memory="3g",
        conf={
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.codegen.cache.maxEntries": "5000",
            "spark.sql.ui.retainedExecutions": "10",
            "spark.driver.extraJavaOptions": JAVA_OPTIONS,
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
