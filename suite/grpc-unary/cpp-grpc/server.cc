// Greeter on gRPC C++, callback API.

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "greeter.grpc.pb.h"

namespace {

using greeter::Greeter;
using greeter::HelloReply;
using greeter::HelloRequest;

// How many messages a call of SayHellos sends.
constexpr int kStreamLength = 100;
// How long calls in progress may take after SIGTERM.
constexpr std::chrono::seconds kGrace{5};

void Greet(const HelloRequest& request, HelloReply* reply) {
  reply->set_message("Hello from " + request.name() + "!");
}

// Sends the greeting kStreamLength times, each when the one before is out.
class GreetingStream : public grpc::ServerWriteReactor<HelloReply> {
 public:
  explicit GreetingStream(const HelloRequest& request) {
    Greet(request, &reply_);
    StartWrite(&reply_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::CANCELLED);
    } else if (++sent_ == kStreamLength) {
      Finish(grpc::Status::OK);
    } else {
      StartWrite(&reply_);
    }
  }

  void OnDone() override { delete this; }

 private:
  HelloReply reply_;
  int sent_ = 0;
};

class GreeterService final : public Greeter::CallbackService {
  grpc::ServerUnaryReactor* SayHello(grpc::CallbackServerContext* context,
                                     const HelloRequest* request,
                                     HelloReply* reply) override {
    Greet(*request, reply);
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerWriteReactor<HelloReply>* SayHellos(
      grpc::CallbackServerContext*, const HelloRequest* request) override {
    return new GreetingStream(*request);
  }
};

sigset_t TerminateSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

int Serve(const std::string& host, const std::string& port) {
  // Blocked before any thread starts, so that only sigwait below sees them.
  const sigset_t signals = TerminateSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  GreeterService service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(host + ":" + port,
                           grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    return 1;
  }
  server->GetHealthCheckService()->SetServingStatus(
      Greeter::service_full_name(), true);

  int signal = 0;
  sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now() + kGrace);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " PORT\n";
    return 2;
  }
  const char* host = std::getenv("HOST");
  return Serve(host != nullptr ? host : "127.0.0.1", argv[1]);
}
