package main

import (
	"embed"
	"html/template"

	"github.com/gin-gonic/gin"
)

//go:embed templates/*.tmpl
var templates embed.FS

// newRouter has the routes of the database only where there is one.
func newRouter(db *store) *gin.Engine {
	router := gin.New()
	router.Use(gin.Recovery(), serverHeader)
	router.SetHTMLTemplate(template.Must(template.ParseFS(templates, "templates/*.tmpl")))

	router.GET("/plaintext/:token", plaintext)
	router.GET("/json/:token", greeting)

	if db != nil {
		h := &handlers{db: db}
		router.GET("/db", h.world)
		router.GET("/queries", h.queries)
		router.POST("/updates", h.updates)
		router.GET("/fortunes", h.fortunes)
	}
	return router
}

func serverHeader(c *gin.Context) {
	c.Header("Server", "gin")
}
