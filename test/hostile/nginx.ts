// An nginx in front of a server under test, with its own configuration, port and folder. Stops with the test.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export type Nginx = {
  readonly port: number
  /** Number of requests that it has forwarded to the server. */
  passedOn(): Promise<number>
  stop(): Promise<void>
}

/** Path of the program; null if it is not installed. */
export function findNginx(): string | null {
  // Debian installs it in a folder that is not in the PATH of a normal user.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path)) ?? null
}

/** Forwards bodies unbuffered over keep-alive connections, which would reveal a smuggled request. */
export async function startNginx(program: string, upstreamPort: number): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  const configuration = `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 128; }
http {
  ${temporary}
  log_format passed '$status $upstream_addr';
  access_log ${folder}/access.log passed;
  upstream cairn { server 127.0.0.1:${upstreamPort}; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    client_header_timeout 5s;
    client_body_timeout 5s;
    location / {
      proxy_pass http://cairn;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_next_upstream off;
    }
  }
}`
  await writeFile(join(folder, 'nginx.conf'), configuration)
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${complaint}`)
    await pause(10)
  }
  return {
    port,
    async passedOn() {
      const log = await readFile(join(folder, 'access.log'), 'utf8')
      return log.split('\n').filter((line) => /^\d{3} 127/.test(line)).length
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
