// nginx with one worker, in the foreground, in a separate folder: `return 200`, a floor that never reads the body, and a cache of
// POST replies by their body, comparable to an answer cached in memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { constantReply, type Server } from './bare.ts'

const binary = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((path) => existsSync(path))

/** Null if nginx is not installed. `upstream`: the server whose replies are cached. */
export async function startNginx(
  kind: { readonly fixed: true } | { readonly upstream: string },
): Promise<Server | null> {
  if (binary === undefined) return null
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-nginx-'))
  await mkdir(join(folder, 'cache'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(folder, port, kind))
  const child = spawn(binary, ['-p', folder, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await reachable(port)
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(
  folder: string,
  port: number,
  kind: { readonly fixed: true } | { readonly upstream: string },
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n  ')
  const location =
    'fixed' in kind
      ? `default_type application/json; return 200 '${constantReply}';`
      : `proxy_pass ${kind.upstream};
      proxy_cache replies;
      proxy_cache_methods POST;
      proxy_cache_key $request_body;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      client_body_buffer_size 64k;
      client_body_in_single_buffer on;`
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
error_log stderr error;
pid ${folder}/nginx.pid;
events { worker_connections 8192; }
http {
  ${temporary}
  access_log off;
  keepalive_timeout 75s;
  keepalive_requests 100000000;
  proxy_cache_path ${folder}/cache keys_zone=replies:16m max_size=1g inactive=1h use_temp_path=off;
  server {
    listen 127.0.0.1:${port};
    location / {
      ${location}
    }
  }
}
`
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when a server listens on `port`; rejects after ten seconds. */
export async function reachable(port: number): Promise<void> {
  const end = performance.now() + 10_000
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await wait(50)
    } finally {
      socket.destroy()
    }
  }
}
