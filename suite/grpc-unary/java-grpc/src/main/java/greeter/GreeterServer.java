package greeter;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Serves Greeter, health and reflection on loopback, or the address in HOST, until SIGTERM. */
public final class GreeterServer {
  /** How long calls in progress may take after SIGTERM. */
  private static final int GRACE_S = 5;

  private GreeterServer() {}

  /** Takes the port, then optionally {@code --direct-executor}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    boolean directExecutor = args.length == 2 && args[1].equals("--direct-executor");
    if (args.length != 1 && !directExecutor) {
      System.err.println("usage: GreeterServer PORT [--direct-executor]");
      System.exit(2);
    }
    Server server = build(host(), Integer.parseInt(args[0]), directExecutor).start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
    server.awaitTermination();
  }

  private static InetAddress host() throws IOException {
    return InetAddress.getByName(System.getenv().getOrDefault("HOST", "127.0.0.1"));
  }

  private static Server build(InetAddress host, int port, boolean directExecutor) {
    var health = new HealthStatusManager();
    health.setStatus(GreeterGrpc.SERVICE_NAME, ServingStatus.SERVING);
    var address = new InetSocketAddress(host, port);
    var builder =
        NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
            .addService(new GreeterService())
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance());
    if (directExecutor) {
      // Handlers never block, so they may run on the network threads.
      builder.directExecutor();
    }
    return builder.build();
  }

  private static void stop(Server server) {
    server.shutdown();
    try {
      if (!server.awaitTermination(GRACE_S, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
    }
  }
}
