// Greeter on Connect for Go: gRPC on net/http.
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"deadheat/go-connect/greeterpb/greeterpbconnect"
)

const (
	// maxMessageBytes is gRPC's usual limit; Connect has none of its own.
	maxMessageBytes = 4 << 20
	// grace is how long calls in progress may take after SIGTERM.
	grace = 5 * time.Second
	// readTimeout is how long a request may take to arrive. Connect ends a call at its deadline once its
	// message is here, and leaves what comes before that to net/http, which waits for ever by default.
	readTimeout = 5 * time.Second
)

func main() {
	if len(os.Args) != 2 {
		log.Fatalf("usage: %s PORT", os.Args[0])
	}
	if err := serve(net.JoinHostPort(host(), os.Args[1])); err != nil {
		log.Fatal(err)
	}
}

func host() string {
	if fromEnv := os.Getenv("HOST"); fromEnv != "" {
		return fromEnv
	}
	return "127.0.0.1"
}

// serve answers until SIGTERM or SIGINT; calls in progress are then finished.
func serve(address string) error {
	server := &http.Server{
		Addr:        address,
		Handler:     handler(),
		Protocols:   protocols(),
		ReadTimeout: readTimeout,
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		deadline, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		stopped <- server.Shutdown(deadline)
	})
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// handler serves Greeter, health and reflection.
func handler() http.Handler {
	name := greeterpbconnect.GreeterName
	reflector := grpcreflect.NewStaticReflector(name, grpchealth.HealthV1ServiceName)
	mux := http.NewServeMux()
	mux.Handle(greeterpbconnect.NewGreeterHandler(greeter{}, connect.WithReadMaxBytes(maxMessageBytes)))
	mux.Handle(grpchealth.NewHandler(grpchealth.NewStaticChecker(name)))
	mux.Handle(grpcreflect.NewHandlerV1(reflector))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector))
	return mux
}

// protocols allows gRPC without TLS.
func protocols() *http.Protocols {
	var allowed http.Protocols
	allowed.SetHTTP1(true)
	allowed.SetUnencryptedHTTP2(true)
	return &allowed
}
