package greeter;

import greeter.GreeterOuterClass.HelloReply;
import greeter.GreeterOuterClass.HelloRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** Answers greetings. */
final class GreeterService extends GreeterGrpc.GreeterImplBase {
  /** How many messages a call of SayHellos sends. */
  private static final int STREAM_LENGTH = 100;

  @Override
  public void sayHello(HelloRequest request, StreamObserver<HelloReply> replies) {
    replies.onNext(greet(request));
    replies.onCompleted();
  }

  @Override
  public void sayHellos(HelloRequest request, StreamObserver<HelloReply> replies) {
    var stream = (ServerCallStreamObserver<HelloReply>) replies;
    var writer = new Runnable() {
      private int sent = 0;

      @Override
      public void run() {
        while (sent < STREAM_LENGTH && stream.isReady()) {
          stream.onNext(greet(request));
          sent++;
          if (sent == STREAM_LENGTH) {
            stream.onCompleted();
          }
        }
      }
    };
    stream.setOnReadyHandler(writer);
  }

  private static HelloReply greet(HelloRequest request) {
    return HelloReply.newBuilder().setMessage("Hello from " + request.getName() + "!").build();
  }
}
