package greeter

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // accept compressed requests
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	pb "deadheat/go-grpc/greeterpb"
)

// ListenAndServe serves Greeter, health and reflection on a server made with
// the given options, on loopback or the address in HOST, at the port that the
// command line names, until SIGTERM or SIGINT; calls in progress are then finished.
func ListenAndServe(options ...grpc.ServerOption) error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: %s PORT", os.Args[0])
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host(), os.Args[1]))
	if err != nil {
		return err
	}

	server := grpc.NewServer(options...)
	pb.RegisterGreeterServer(server, &Server{})
	healthServer := health.NewServer()
	healthServer.SetServingStatus(pb.Greeter_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(server, healthServer)
	reflection.Register(server)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, server.GracefulStop)
	return server.Serve(listener)
}

func host() string {
	if fromEnv := os.Getenv("HOST"); fromEnv != "" {
		return fromEnv
	}
	return "127.0.0.1"
}
