// Greeter as documented, but gzip requests are answered without compression,
// as tonic answers them.
package main

import (
	"context"
	"log"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"

	"deadheat/go-grpc/greeter"
)

func main() {
	err := greeter.ListenAndServe(grpc.UnaryInterceptor(plainReply), grpc.StreamInterceptor(plainReplies))
	if err != nil {
		log.Fatal(err)
	}
}

// plainReply keeps grpc-go from answering in the compression of the request.
func plainReply(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := grpc.SetSendCompressor(ctx, encoding.Identity); err != nil {
		return nil, err
	}
	return handler(ctx, request)
}

// plainReplies is plainReply for a call of many replies.
func plainReplies(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := grpc.SetSendCompressor(stream.Context(), encoding.Identity); err != nil {
		return err
	}
	return handler(server, stream)
}
