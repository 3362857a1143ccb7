// Command app serves the routes of the application: /plaintext/NAME, /json/NAME and, where DATABASE_URL
// names a PostgreSQL, /db?id=N, /queries?ids=N,N, /updates, /fortunes?add=TEXT and
// /cached?ids=N,N.
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
)

const shutdownTimeout = 2 * time.Second

func host() string {
	if fromEnv := os.Getenv("HOST"); fromEnv != "" {
		return fromEnv
	}
	return "127.0.0.1"
}

func port() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	if fromEnv := os.Getenv("PORT"); fromEnv != "" {
		return fromEnv
	}
	return "8080"
}

// named says in each answer what serves it, which net/http leaves to its users.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "Go")
		next.ServeHTTP(w, r)
	})
}

func run() error {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext/{name}", plaintext)
	mux.HandleFunc("GET /json/{name}", jsonObject)
	if url := os.Getenv("DATABASE_URL"); url != "" {
		pool, err := openPool(stop, url)
		if err != nil {
			return err
		}
		defer pool.Close()
		worlds, fortunes := worlds{pool}, fortunes{pool}
		mux.HandleFunc("GET /db", worlds.byID)
		mux.HandleFunc("GET /queries", worlds.byIDs)
		mux.HandleFunc("POST /updates", worlds.update)
		mux.HandleFunc("GET /fortunes", fortunes.page)
		mux.HandleFunc("GET /cached", cacheWorlds(pool).byIDs)
	}

	server := &http.Server{Addr: net.JoinHostPort(host(), port()), Handler: named(mux)}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-stop.Done():
	}

	grace, cancelGrace := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancelGrace()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
