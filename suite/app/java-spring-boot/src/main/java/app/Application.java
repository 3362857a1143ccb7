package app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it. */
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
public class Application {
    /** A name may hold a backslash, which Tomcat refuses unless it is left as it was sent. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> backslashes() {
        return factory ->
                factory.addConnectorCustomizers(
                        connector -> connector.setEncodedReverseSolidusHandling("passthrough"));
    }

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setRegisterShutdownHook(false);
        ConfigurableApplicationContext context = application.run(args);

        // A JVM that is asked to stop reports 143; a server that stopped as asked reports 0.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    context.close();
                                    Runtime.getRuntime().halt(0);
                                }));
    }
}
