// Package greeter implements the service Greeter and serves it until SIGTERM.
package greeter

import (
	"context"

	"google.golang.org/grpc"

	pb "deadheat/go-grpc/greeterpb"
)

// streamLength is how many messages a call of SayHellos sends.
const streamLength = 100

// Server answers greetings.
type Server struct {
	pb.UnimplementedGreeterServer
}

// SayHello sends one greeting.
func (*Server) SayHello(_ context.Context, in *pb.HelloRequest) (*pb.HelloReply, error) {
	return greet(in), nil
}

// SayHellos sends the greeting streamLength times.
func (*Server) SayHellos(in *pb.HelloRequest, stream grpc.ServerStreamingServer[pb.HelloReply]) error {
	for range streamLength {
		if err := stream.Send(greet(in)); err != nil {
			return err
		}
	}
	return nil
}

func greet(in *pb.HelloRequest) *pb.HelloReply {
	return &pb.HelloReply{Message: "Hello from " + in.GetName() + "!"}
}
