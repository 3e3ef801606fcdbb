# The single script on Node, as an unprivileged user, for a read-only root. Run "npm run build" first.
FROM node:24-slim
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="journal-api" \
      org.opencontainers.image.description="Read-only HTTP API and MCP server for your own trading journal" \
      org.opencontainers.image.source="https://github.com/journal-api-contributors/journal-api" \
      org.opencontainers.image.documentation="https://github.com/journal-api-contributors/journal-api#readme" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --chmod=0755 dist/journal-api.cjs /usr/local/bin/journal-api
RUN install -d -o node -g node -m 0700 /data
USER node
ENV JOURNAL_API_HOME=/data \
    JOURNAL_API_HOST=0.0.0.0 \
    MALLOC_TRIM_THRESHOLD_=131072
VOLUME ["/data"]
EXPOSE 4747
HEALTHCHECK --interval=30s --timeout=5s CMD ["node", "-e", "fetch('http://127.0.0.1:4747/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["journal-api"]
CMD ["serve"]
