package main

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

// maxQueries is how many ids of a request are answered.
const maxQueries = 500

type message struct {
	Message string `json:"message"`
}

func plaintext(c *gin.Context) {
	c.String(http.StatusOK, "Hello, %s!", c.Param("token"))
}

func greeting(c *gin.Context) {
	c.JSON(http.StatusOK, message{Message: "Hello, " + c.Param("token") + "!"})
}

type handlers struct {
	db *store
}

func (h *handlers) world(c *gin.Context) {
	var query struct {
		ID int32 `form:"id"`
	}
	if err := c.ShouldBindQuery(&query); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}

	world, err := h.db.world(c.Request.Context(), query.ID)
	if err != nil {
		abort(c, err)
		return
	}
	c.JSON(http.StatusOK, world)
}

func (h *handlers) queries(c *gin.Context) {
	var query struct {
		IDs []int32 `form:"ids" collection_format:"csv"`
	}
	if err := c.ShouldBindQuery(&query); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}

	ids := query.IDs[:min(len(query.IDs), maxQueries)]
	worlds := make([]World, 0, len(ids))
	for _, id := range ids {
		world, err := h.db.world(c.Request.Context(), id)
		if err != nil {
			abort(c, err)
			return
		}
		worlds = append(worlds, world)
	}
	c.JSON(http.StatusOK, worlds)
}

func (h *handlers) updates(c *gin.Context) {
	var wanted []World
	if err := c.ShouldBindJSON(&wanted); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}

	worlds := make([]World, 0, len(wanted))
	for _, w := range wanted {
		world, err := h.db.world(c.Request.Context(), w.ID)
		if err != nil {
			abort(c, err)
			return
		}
		world.RandomNumber = w.RandomNumber
		worlds = append(worlds, world)
	}

	if err := h.db.update(c.Request.Context(), worlds); err != nil {
		abort(c, err)
		return
	}
	c.JSON(http.StatusOK, worlds)
}

func (h *handlers) fortunes(c *gin.Context) {
	fortunes, err := h.db.fortunes(c.Request.Context())
	if err != nil {
		abort(c, err)
		return
	}

	fortunes = append(fortunes, Fortune{Message: c.Query("add")})
	slices.SortFunc(fortunes, func(a, b Fortune) int {
		return cmp.Compare(a.Message, b.Message)
	})
	c.HTML(http.StatusOK, "fortunes.tmpl", fortunes)
}

func abort(c *gin.Context, err error) {
	if errors.Is(err, pgx.ErrNoRows) {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	_ = c.AbortWithError(http.StatusInternalServerError, err)
}
