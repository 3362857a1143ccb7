package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v2"
)

func main() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/:token", func(c *fiber.Ctx) error {
		return c.SendString("Hello from " + c.Params("token") + "!")
	})
	log.Fatal(app.Listen("127.0.0.1:" + os.Args[1]))
}
