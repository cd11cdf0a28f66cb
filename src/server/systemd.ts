// Interface to systemd: listening sockets (sd_listen_fds(3)), and the socket for READY=1 (sd_notify(3)). Without systemd both are
// absent and nothing happens.
// Tested by test/deploy/systemd.test.ts
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describeErrno } from '../base/describe-errno.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Descriptors of listening sockets; null: Cairn opens its own. */
export type PassedSockets = {
  readonly http: number | null
  /** For `admin.host`. */
  readonly admin: number | null
}

/** SD_LISTEN_FDS_START */
const firstDescriptor = 3
const notifyMs = 5_000

/**
 * A single socket is for `http.host`, unless its name is `admin`. With two, `FileDescriptorName=` distinguishes `http` and `admin`.
 * Throws a sentence for the operator.
 */
export function passedSockets(env: Environment, pid: number): PassedSockets {
  // Child processes inherit the variables, so LISTEN_PID names the process that they are for.
  const count = env['LISTEN_PID'] === String(pid) ? Number(env['LISTEN_FDS'] ?? 0) : 0
  if (count === 0) return { http: null, admin: null }
  const names = (env['LISTEN_FDNAMES'] ?? '').split(':')
  if (count === 1 && names[0] !== 'admin') return { http: firstDescriptor, admin: null }
  const find = (name: string) =>
    names.includes(name) ? firstDescriptor + names.indexOf(name) : null
  const [http, admin] = [find('http'), find('admin')]
  if (count === 2 && http !== null && admin !== null) return { http, admin }
  throw new Error(
    `systemd passed ${count} sockets named "${names.join('", "')}": pass one, or two with FileDescriptorName=http and FileDescriptorName=admin`,
  )
}

/**
 * Reports to systemd that the server is ready, with `Type=notify`. Runs systemd's own program, because Node has no Unix datagram
 * sockets. Rejects with a sentence for the operator.
 */
export async function notifyReady(env: Environment): Promise<void> {
  const socket = env['NOTIFY_SOCKET']
  if (socket === undefined || socket === '') return
  const own = { PATH: env['PATH'], NOTIFY_SOCKET: socket }
  try {
    await promisify(execFile)('systemd-notify', ['--ready'], { env: own, timeout: notifyMs })
  } catch (thrown) {
    throw new Error(
      `cannot tell systemd that Cairn is ready: systemd-notify: ${describeErrno(thrown)}: install it, or set Type=exec in the unit`,
      { cause: thrown },
    )
  }
}
