package app;

record World(int id, int randomNumber) {}
