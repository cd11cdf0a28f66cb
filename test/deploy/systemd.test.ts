// The units of deploy/systemd/, and Cairn under systemd: it serves on a passed socket, and reports when it is ready.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { notifyReady, passedSockets } from '../../src/server/systemd.ts'
import { bin, rpc, runCli, startCairn, temporaryFolder } from '../started-server.ts'
import { needs, root, run } from './programs.ts'

test('without the variables of systemd, or with those of another process, Cairn opens its own sockets', () => {
  const none = { http: null, admin: null }
  assert.deepEqual(passedSockets({}, 7), none)
  assert.deepEqual(passedSockets({ LISTEN_PID: '6', LISTEN_FDS: '1' }, 7), none)
})

test('one passed socket is for the APIs, two are told apart by name, others are refused', () => {
  const passed = (count: number, names?: string) =>
    passedSockets(
      {
        LISTEN_PID: '7',
        LISTEN_FDS: `${count}`,
        ...(names === undefined ? {} : { LISTEN_FDNAMES: names }),
      },
      7,
    )
  assert.deepEqual(passed(1), { http: 3, admin: null })
  assert.deepEqual(passed(1, 'cairn.socket'), { http: 3, admin: null })
  assert.deepEqual(passed(2, 'admin:http'), { http: 4, admin: 3 })
  assert.throws(() => passed(2, 'http:other'), /passed 2 sockets named "http", "other": pass one/)
  assert.throws(() => passed(1, 'admin'), /passed 1 sockets/)
})

// Opens a listening socket, prints its port, and for each line of input starts the command with the socket as descriptor 3, as
// systemd does for a unit with a socket. Exits at the end of its input.
const parent = `
import os, socket, sys
listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen(64)
print(listener.getsockname()[1], flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', LISTEN_FDNAMES='http', CAIRN_HTTP_HOST=line.strip())
        os.execvp(sys.argv[1], sys.argv[1:])
    print(child, flush=True)
    print('exit', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
`

test(
  'requests during a restart wait in the passed socket, and none is refused',
  needs('python3'),
  async (t) => {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const made = await runCli(['keys', 'create', '--data-dir', dataDir, '--json'])
    const key = String(made['apiKey'])
    const server = [process.execPath, bin, 'start', '--data-dir', dataDir, '--port', '0', '--json']
    const holder = spawn('python3', ['-c', parent, ...server], { stdio: ['pipe', 'pipe', 'pipe'] })
    t.after(() => holder.stdin.end())
    const lines = createInterface({ input: holder.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    const url = `http://127.0.0.1:${await next()}`

    const start = async () => {
      holder.stdin.write('127.0.0.1\n')
      const pid = Number(await next())
      t.after(() => end(pid))
      return pid
    }
    const chainId = async () => (await rpc(url, key, 'eth_chainId')).result
    // Sent before the first start: the socket exists, the server does not.
    const early = chainId()
    const one = await start()
    assert.equal(JSON.parse(await next()).url, url)
    assert.equal(await early, '0x539')
    process.kill(one, 'SIGTERM')
    assert.equal(await next(), 'exit 0')
    const between = Promise.all(Array.from({ length: 8 }, chainId))
    const two = await start()
    assert.equal(JSON.parse(await next()).url, url)
    assert.deepEqual(
      await between,
      Array.from({ length: 8 }, () => '0x539'),
    )
    process.kill(two, 'SIGTERM')
    assert.equal(await next(), 'exit 0')

    // The settings restrict access to the server; a socket at another address contradicts them.
    holder.stdin.write('0.0.0.0\n')
    let errors = ''
    holder.stderr.on('data', (text: Buffer) => (errors += text.toString()))
    await next()
    assert.equal(await next(), 'exit 1')
    assert.match(
      errors,
      /the passed socket listens on 127\.0\.0\.1:\d+, expected the address of the settings, 0\.0\.0\.0:0/,
    )
  },
)

test(
  'workers serve on a passed socket, also after a rolling restart',
  needs('python3'),
  async (t) => {
    const chain = await startCairn()
    t.after(() => chain.stop())
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const config = join(dataDir, 'settings.yaml')
    const upstreams = [{ url: `${chain.url}/v3/${chain.apiKey}`, trusted: true }]
    const networks = [{ name: 'chain', chainId: 1337, upstreams }]
    await writeFile(config, JSON.stringify({ dataDir, workers: 2, networks }))
    const made = await runCli(['keys', 'create', '--config', config, '--json'])
    const key = String(made['apiKey'])
    const server = [process.execPath, bin, 'start', '--config', config, '--port', '0', '--json']
    const holder = spawn('python3', ['-c', parent, ...server], { stdio: ['pipe', 'pipe', 'pipe'] })
    t.after(() => holder.stdin.end())
    const lines = createInterface({ input: holder.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    const log = createInterface({ input: holder.stderr })[Symbol.asyncIterator]()
    /** Reads the log until a line with this event. */
    async function logged(event: string): Promise<void> {
      for (;;) {
        const { value, done } = await log.next()
        assert.ok(!done, `the log ended before ${event}`)
        if (String(value).includes(`"event":"${event}"`)) return
      }
    }
    const url = `http://127.0.0.1:${await next()}`
    const chainIds = async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => rpc(url, key, 'eth_chainId')))
      assert.ok(all.every(({ result }) => result === '0x539'))
    }

    const early = chainIds()
    holder.stdin.write('127.0.0.1\n')
    const pid = Number(await next())
    t.after(() => end(pid))
    assert.equal(JSON.parse(await next()).url, url)
    await early
    process.kill(pid, 'SIGUSR2')
    await logged('restarted')
    await chainIds()
    process.kill(pid, 'SIGTERM')
    assert.equal(await next(), 'exit 0')

    // If all its workers are killed, the server loses the socket: it exits, and is restarted on the same socket.
    holder.stdin.write('127.0.0.1\n')
    const second = Number(await next())
    t.after(() => end(second))
    assert.equal(JSON.parse(await next()).url, url)
    const [first = 0, last = 0] = await workersOf(second)
    process.kill(first, 'SIGKILL')
    // A worker that starts does not hold the socket yet.
    await logged('process_ended')
    await logged('process_started')
    process.kill(last, 'SIGKILL')
    await logged('passed_socket_lost')
    const waiting = chainIds()
    assert.equal(await next(), 'exit 1')
    holder.stdin.write('127.0.0.1\n')
    const third = Number(await next())
    t.after(() => end(third))
    assert.equal(JSON.parse(await next()).url, url)
    await waiting
    process.kill(third, 'SIGTERM')
    assert.equal(await next(), 'exit 0')
  },
)

/** Workers are child processes of node:cluster: their environment contains a number. */
async function workersOf(primary: number): Promise<readonly number[]> {
  const listed = await readFile(`/proc/${primary}/task/${primary}/children`, 'utf8')
  const children = listed.split(' ').filter((pid) => pid !== '')
  const environments = await Promise.all(
    children.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8')),
  )
  return children.filter((_, at) => environments[at]?.includes('NODE_UNIQUE_ID=')).map(Number)
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

// Prints each datagram of a notification socket. systemd-notify waits until its descriptor is closed.
const notified = `
import array, os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print('bound', flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(server, 4096, 8)
    for fd in fds: os.close(fd)
    print(data.decode().strip().replace('\\n', ' '), flush=True)
`

test(
  'a server reports READY=1 to systemd when it serves',
  needs('python3', 'systemd-notify'),
  async (t) => {
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'notify')
    const listener: ChildProcess = spawn('python3', ['-c', notified, path])
    t.after(() => listener.kill())
    assert.ok(listener.stdout)
    const lines = createInterface({ input: listener.stdout })[Symbol.asyncIterator]()
    assert.equal((await lines.next()).value, 'bound')
    const cairn = await startCairn({ env: { NOTIFY_SOCKET: path } })
    t.after(() => cairn.stop())
    assert.match(String((await lines.next()).value), /^READY=1/)
    assert.equal((await fetch(`${cairn.url}/readyz`)).status, 200)
  },
)

test('a missing systemd-notify is named, with what to do', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  await notifyReady({ PATH: folder })
  await assert.rejects(notifyReady({ PATH: folder, NOTIFY_SOCKET: join(folder, 'none') }), {
    message:
      'cannot tell systemd that Cairn is ready: systemd-notify: there is no such file or folder: install it, or set Type=exec in the unit',
  })
})

const units = join(root, 'deploy/systemd')

test(
  'systemd-analyze accepts the units, and rates the exposure of the service as OK',
  needs('systemd-analyze'),
  async (t) => {
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    // Verification opens the program of ExecStart.
    const program = join(folder, 'usr/lib/cairn/node_modules/.bin/cairn')
    await mkdir(join(folder, 'usr/lib/systemd/system'), { recursive: true })
    await mkdir(join(program, '..'), { recursive: true })
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
    const service = await readFile(join(units, 'cairn.service'), 'utf8')
    const placed = join(folder, 'cairn.service')
    await writeFile(
      placed,
      service.replace('/usr/lib/cairn/node_modules/.bin/cairn start', `${program} start`),
    )
    await cp(join(units, 'cairn.socket'), join(folder, 'cairn.socket'))
    assert.equal(await run('systemd-analyze', ['verify', placed, join(folder, 'cairn.socket')]), '')
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', placed]
    assert.match(
      await run('systemd-analyze', args),
      /Overall exposure level for cairn\.service: [01]\.\d OK/,
    )
  },
)

test('the settings that the units come with are valid, and their address is that of the socket', async () => {
  const config = join(units, 'cairn.yaml')
  const { ok } = await runCli(['config', 'check', '--config', config, '--json'])
  assert.equal(ok, true)
  const [, host, port] = /host: (\S+)\n +port: (\d+)/.exec(await readFile(config, 'utf8')) ?? []
  const socket = await readFile(join(units, 'cairn.socket'), 'utf8')
  assert.match(socket, new RegExp(`^ListenStream=${host}:${port}$`, 'm'))
})
