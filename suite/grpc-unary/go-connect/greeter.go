package main

import (
	"context"

	"connectrpc.com/connect"

	pb "deadheat/go-connect/greeterpb"
)

// streamLength is how many messages a call of SayHellos sends.
const streamLength = 100

// greeter answers greetings.
type greeter struct{}

// SayHello sends one greeting.
func (greeter) SayHello(_ context.Context, in *connect.Request[pb.HelloRequest]) (*connect.Response[pb.HelloReply], error) {
	return connect.NewResponse(greet(in.Msg)), nil
}

// SayHellos sends the greeting streamLength times.
func (greeter) SayHellos(_ context.Context, in *connect.Request[pb.HelloRequest], stream *connect.ServerStream[pb.HelloReply]) error {
	for range streamLength {
		if err := stream.Send(greet(in.Msg)); err != nil {
			return err
		}
	}
	return nil
}

func greet(in *pb.HelloRequest) *pb.HelloReply {
	return &pb.HelloReply{Message: "Hello from " + in.GetName() + "!"}
}
