// A real PostgreSQL for tests: a new cluster on a free loopback port, without syncs. The cluster is created once per machine and
// copied for each test file. `missingPostgres` skips tests if the program is absent.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  chown,
  cp,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findProgram, needs } from '../deploy/programs.ts'

const program = 'postgres'
const run = promisify(execFile)
/** Root cannot run PostgreSQL; this user of Debian's package can. */
const systemUser = 'postgres'

/** False if the program is installed, else the reason to skip its tests. */
export function missingPostgres(): string | false {
  return needs(program).skip ?? false
}

export type Postgres = {
  readonly port: number
  /** URL of a database on this server, for its superuser. */
  urlOf(database: string): string
  /** Creates an empty database, or a copy of `template`, and returns its name. */
  createDatabase(template?: string): Promise<string>
  /** Runs SQL without parameters; returns the rows of the last statement. */
  query(database: string, sql: string): Promise<readonly Record<string, unknown>[]>
  /** Promotes a standby to primary. */
  promote(): Promise<void>
  /** Stops the server immediately, as a power loss does; `start` continues with its data. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

type User = { readonly uid: number; readonly gid: number } | null

/**
 * `settings`: lines of `postgresql.conf`, as `name=value`. `standby`: without a primary; it refuses writes. `follows`: starts as a
 * standby of this server.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  {
    standby = false,
    follows = null,
  }: { readonly standby?: boolean; readonly follows?: Postgres | null } = {},
): Promise<Postgres> {
  // A name in the PATH may be a link to a single program of the folder.
  const bin = dirname(await realpath(findProgram(program) ?? program))
  const user = await userOf()
  const folder = await mkdtemp(join(tmpdir(), 'cairn-postgres-'))
  if (user !== null) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  if (follows === null) {
    await cp(await createCluster(bin, user), data, { recursive: true, preserveTimestamps: true })
  } else {
    const of = ['-h', '127.0.0.1', '-p', String(follows.port), '-U', systemUser]
    await run(join(bin, 'pg_basebackup'), [...of, '-D', data, '-R', '-c', 'fast', '--no-sync'])
  }
  if (user !== null) await run('chown', ['-R', `${user.uid}:${user.gid}`, data])
  if (standby) await writeFile(join(data, 'standby.signal'), '')
  const port = await freePort()
  let child: ChildProcess | null = null
  let made = 0

  async function start(): Promise<void> {
    const options = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'log_min_messages=log',
      ...settings,
    ]
    const args = options.flatMap((option) => ['-c', option])
    child = spawn(join(bin, program), ['-D', data, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      ...user,
    })
    await started(child)
  }

  async function end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const running = child
    child = null
    if (running === null || running.exitCode !== null) return
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
    running.kill(signal)
    await ended
  }

  const urlOf = (database: string): string =>
    `postgresql://${systemUser}@127.0.0.1:${port}/${database}`

  async function query(database: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: urlOf(database) })
    await client.connect()
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql)
      return rows
    } finally {
      await client.end()
    }
  }

  await start()
  return {
    port,
    urlOf,
    query,
    start,
    async createDatabase(template = 'template0') {
      made += 1
      const name = `cairn_${made}`
      // The default strategy also writes every page to the log.
      const options = `TEMPLATE ${template} ENCODING 'UTF8' STRATEGY file_copy`
      await query('postgres', `CREATE DATABASE ${name} ${options}`)
      return name
    },
    async promote() {
      await query('postgres', 'SELECT pg_promote()')
    },
    kill: () => end('SIGQUIT'),
    async stop() {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Null: the user of this process. */
async function userOf(): Promise<User> {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = await Promise.all([
    run('id', ['-u', systemUser]),
    run('id', ['-g', systemUser]),
  ])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** An unused cluster. If another process creates it at the same time, the first one is used. */
async function createCluster(bin: string, user: User): Promise<string> {
  const cachedCluster = join(
    tmpdir(),
    `cairn-cluster-${bin.replaceAll(/\W+/g, '-')}-${user?.uid ?? 'own'}`,
  )
  if (await isFolder(cachedCluster)) return cachedCluster
  const fresh = await mkdtemp(join(tmpdir(), 'cairn-initdb-'))
  if (user !== null) await chown(fresh, user.uid, user.gid)
  const data = join(fresh, 'data')
  const args = [
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    systemUser,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]
  await run(join(bin, 'initdb'), args, { ...user, env: { PATH: process.env['PATH'], LC_ALL: 'C' } })
  try {
    await rename(data, cachedCluster)
  } catch (error) {
    if (!(await isFolder(cachedCluster))) throw error
  }
  await rm(fresh, { recursive: true, force: true })
  return cachedCluster
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory() && (await readdir(path)).length > 0
  } catch {
    return false
  }
}

async function started(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`postgres does not start: ${output}`)))
    child.stderr?.on('data', (text: Buffer) => {
      output = `${output}${text.toString()}`.slice(-8192)
      if (/database system is ready to accept (?:read-only )?connections/.test(output)) resolve()
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
