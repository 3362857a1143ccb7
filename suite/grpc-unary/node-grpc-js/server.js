'use strict';

const path = require('node:path');

const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const { ReflectionService } = require('@grpc/reflection');
const { HealthImplementation } = require('grpc-health-check');

// How many messages a call of SayHellos sends.
const STREAM_LENGTH = 100;
// How long calls in progress, and clients that stay, may take after SIGTERM.
const GRACE_MS = 5000;

// The workload's contract lies beside the contenders' folders.
const definition = protoLoader.loadSync(path.join(__dirname, '..', 'greeter.proto'));
const { Greeter } = grpc.loadPackageDefinition(definition).greeter;

function greet(request) {
  return { message: `Hello from ${request.name ?? ''}!` };
}

function sayHello(call, callback) {
  callback(null, greet(call.request));
}

function sayHellos(call) {
  let left = STREAM_LENGTH;
  const write = () => {
    while (left > 0) {
      left -= 1;
      if (!call.write(greet(call.request))) {
        call.once('drain', write);
        return;
      }
    }
    call.end();
  };
  write();
}

function main(host, port) {
  const server = new grpc.Server();
  server.addService(Greeter.service, { sayHello, sayHellos });
  new HealthImplementation({ '': 'SERVING', 'greeter.Greeter': 'SERVING' }).addToServer(server);
  new ReflectionService(definition).addToServer(server);

  server.bindAsync(`${host}:${port}`, grpc.ServerCredentials.createInsecure(), (error) => {
    if (error) {
      console.error(error.message);
      process.exit(1);
    }
  });
  process.once('SIGTERM', () => {
    server.tryShutdown(() => process.exit(0));
    setTimeout(() => {
      server.forceShutdown();
      process.exit(0);
    }, GRACE_MS);
  });
}

const port = process.argv[2];
if (port === undefined) {
  console.error('usage: node server.js PORT');
  process.exit(2);
}
main(process.env.HOST ?? '127.0.0.1', port);
