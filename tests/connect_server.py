"""A Spark Connect server for the tests: prints its URL, serves until its standard input closes."""

import sys

from assay.engine.session import local_session

# Of many small queries, compiling them well takes longer than running them; what is compiled
# without the second compiler has a fifth of the room unless told otherwise. Nobody doubts the
# thirty thousand classes of Spark, so that they need not be verified.
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
