// Command app serves the routes of the application: /plaintext/NAME, /json/NAME and, where DATABASE_URL
// names a PostgreSQL, /db?id=N, /queries?ids=N,N, /updates and
// /fortunes?add=TEXT.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v3"
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

func run() error {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()

	// Parameters of a route arrive as they were meant, not as they were escaped.
	app := fiber.New(fiber.Config{UnescapePath: true, ServerHeader: "Fiber", Views: views()})
	app.Get("/plaintext/:name", plaintext)
	app.Get("/json/:name", jsonObject)
	if url := os.Getenv("DATABASE_URL"); url != "" {
		pool, err := openPool(stop, url)
		if err != nil {
			return err
		}
		defer pool.Close()
		worlds, fortunes := worlds{pool}, fortunes{pool}
		app.Get("/db", worlds.byID)
		app.Get("/queries", worlds.byIDs)
		app.Post("/updates", worlds.update)
		app.Get("/fortunes", fortunes.page)
	}

	return app.Listen(net.JoinHostPort(host(), port()), fiber.ListenConfig{
		DisableStartupMessage: true,
		GracefulContext:       stop,
		ShutdownTimeout:       shutdownTimeout,
	})
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
