package main

import "github.com/gofiber/fiber/v3"

type greeting struct {
	Message string `json:"message"`
}

func hello(c fiber.Ctx) string {
	return "Hello, " + c.Params("name") + "!"
}

func plaintext(c fiber.Ctx) error {
	return c.SendString(hello(c))
}

func jsonObject(c fiber.Ctx) error {
	return c.JSON(greeting{Message: hello(c)})
}
