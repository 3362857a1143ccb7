import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.undertow.Undertow;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** The same answer by four servers: `Others NAME PORT`. */
public class Others {
  static byte[] hello(String path) {
    return ("Hello from " + path.substring(1) + "!").getBytes(StandardCharsets.UTF_8);
  }

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[1]);
    switch (args[0]) {
      case "undertow" -> undertow(port);
      case "jetty" -> jetty(port);
      case "netty" -> netty(port);
      default -> tomcat(port);
    }
  }

  static void undertow(int port) {
    Undertow.builder()
        .addHttpListener(port, "127.0.0.1")
        .setHandler(
            exchange -> exchange.getResponseSender().send(ByteBuffer.wrap(hello(exchange.getRequestPath()))))
        .build()
        .start();
  }

  static void jetty(int port) throws Exception {
    Server server = new Server(port);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            response.write(true, ByteBuffer.wrap(hello(request.getHttpURI().getPath())), callback);
            return true;
          }
        });
    server.start();
  }

  static void netty(int port) {
    new ServerBootstrap()
        .group(new NioEventLoopGroup())
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(1 << 16), new Hello());
              }
            })
        .bind("127.0.0.1", port);
  }

  static class Hello extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      var answer =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(hello(request.uri())));
      answer.headers().set("Content-Length", answer.content().readableBytes());
      context.writeAndFlush(answer);
    }
  }

  static void tomcat(int port) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
    tomcat.setPort(port);
    tomcat.getConnector();
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(
        context,
        "hello",
        new HttpServlet() {
          @Override
          protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = hello(request.getRequestURI());
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
          }
        });
    context.addServletMappingDecoded("/*", "hello");
    tomcat.start();
  }
}
