# The command `ragstone` in a small image: docs/ci.md says how it is used. It does not run as root, and
# fetches nothing when it runs. The target `serve` is the server: docs/board.md. scripts/test-image builds
# both and tries them.

FROM python:3.12-slim AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore

# Every file that is installed has one of the hashes in constraints/. What builds the wheel stays behind.
COPY constraints/build.txt constraints/core.txt constraints/
RUN python -m venv /opt/build \
    && /opt/build/bin/python -m pip install --quiet --require-hashes -r constraints/build.txt
RUN python -m venv --without-pip /opt/ragstone \
    && /opt/build/bin/python -m pip --python /opt/ragstone/bin/python install --quiet --no-compile \
        --require-hashes -r constraints/core.txt

COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /opt/build/bin/python -m hatchling build -t wheel -d dist \
    && /opt/build/bin/python -m pip --python /opt/ragstone/bin/python install --quiet --no-compile \
        --no-deps dist/*.whl
# Byte code is made here, once: the file system may be read-only later. It does not depend on times of files.
RUN /opt/ragstone/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/ragstone/lib

FROM build AS build-serve
COPY constraints/serve.txt constraints/
RUN /opt/build/bin/python -m pip --python /opt/ragstone/bin/python install --quiet --no-compile \
        --require-hashes -r constraints/serve.txt
RUN /opt/ragstone/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/ragstone/lib

FROM python:3.12-slim AS bare
LABEL org.opencontainers.image.title="ragstone" org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 ragstone \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin ragstone \
    && install -d -o 10001 -g 10001 /data
ENV PATH=/opt/ragstone/bin:$PATH PYTHONDONTWRITEBYTECODE=1
WORKDIR /data

# From inside a container nobody could reach a loopback address, so this one needs RAGSTONE_TOKEN.
FROM bare AS serve
COPY --from=build-serve /opt/ragstone /opt/ragstone
EXPOSE 8787
USER 10001:10001
ENTRYPOINT ["ragstone", "serve", "--host", "0.0.0.0"]

FROM bare
COPY --from=build /opt/ragstone /opt/ragstone
USER 10001:10001
ENTRYPOINT ["ragstone"]
CMD ["--help"]
