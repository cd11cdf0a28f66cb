// Checks the machine: Node, open files, the listen address, the data folder and its disk.
// Tested by src/cli/doctor/doctor.test.ts
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/settings.ts'
import { denyPathsOf } from '../../server/deny-lists.ts'
import type { Machine } from './machine.ts'
import { warning, problem, type Problem } from '../../server/network-checks/problem.ts'

const nodeNeeded = 24
/** File descriptors for database, log, threads and listening sockets. */
const reservedFiles = 64
const mib = 1024 * 1024
// File system magic numbers, from linux/magic.h.
const memoryDisks: readonly number[] = [0x01021994, 0x858458f6]
const networkDisks: readonly number[] = [0x6969, 0xff534d42, 0xfe534d42]

export function* checkProcess(machine: Machine, { http }: Config): Generator<Problem> {
  if (Number.parseInt(machine.nodeVersion, 10) < nodeNeeded) {
    yield problem(
      'old_node',
      `this is Node ${machine.nodeVersion}, but Cairn needs ${nodeNeeded} or newer`,
      `install Node ${nodeNeeded}: https://nodejs.org/en/download`,
    )
  }
  const files = machine.openFilesMax()
  const needed = http.connectionsMax + reservedFiles
  if (files !== null && files < needed) {
    yield problem(
      'few_open_files',
      `the limit of open files is ${files}, but http.connectionsMax ${http.connectionsMax} needs ${needed}`,
      `ulimit -n ${needed} (systemd: LimitNOFILE=${needed}), or http: {connectionsMax: ${Math.max(1, files - reservedFiles)}}`,
    )
  }
}

/** Node cannot request huge pages, so it gets none with `madvise` (decision 0030). */
export function checkHugePages(machine: Machine): readonly Problem[] {
  const hugePages = machine.hugePages()
  if (hugePages === null || hugePages === 'always') return []
  return [
    warning(
      'small_pages',
      `transparent huge pages are set to ${hugePages}: file reads are slower than possible`,
      'echo always | sudo tee /sys/kernel/mm/transparent_hugepage/enabled (until the next boot), then restart',
    ),
  ]
}

/** Deny lists that prevent a start. */
export function* checkDenyLists(machine: Machine, { gateway }: Config): Generator<Problem> {
  for (const path of denyPathsOf(gateway)) {
    if (machine.findFile(path) !== null) continue
    yield problem(
      'deny_file_unreadable',
      `cannot read the deny list ${path}: no such file or folder`,
      `touch ${path} creates an empty list; or remove it from gateway.denyFile or gateway.denyFiles`,
    )
  }
}

/** Problems that prevent writing the access log. */
export function* checkAccessLog(machine: Machine, { accessLog }: Config): Generator<Problem> {
  const { enabled, file } = accessLog
  if (!enabled || file === null) return
  const folder = dirname(resolve(file))
  if (machine.findFile(folder)?.kind === 'folder' && machine.mayWrite(folder)) return
  yield problem(
    'access_log_unwritable',
    `this user cannot write accessLog.file ${file}`,
    `sudo install -d -o "$(id -u)" ${folder}`,
  )
}

/** `running`: a server holds the data folder, so the address may be in use by that server. */
export async function checkAddress(
  machine: Machine,
  { http: { host, port, tls } }: Config,
  running: boolean,
): Promise<readonly Problem[]> {
  if (port === 0) return []
  const refusal = await machine.tryListen(host, port)
  const at = `${host} port ${port}`
  if (refusal === null) {
    if (!running) return []
    return [
      warning(
        'running_elsewhere',
        `a server uses the data folder, but does not listen on ${at}`,
        'restart it with these settings, or use its settings with --config and --data-dir',
      ),
    ]
  }
  if (refusal === 'EADDRINUSE') {
    const other = `cairn start --port ${port < 65_535 ? port + 1 : port - 1}`
    if (!(await machine.isCairn(host, port, tls.certificateFile !== null))) {
      const fix = `find it with ss -ltnp 'sport = :${port}'; or ${other}`
      return [problem('port_taken', `${at} is in use by another program`, fix)]
    }
    if (running) return []
    return [
      problem(
        'port_of_other_cairn',
        `${at} is in use by a Cairn server with another data folder`,
        other,
      ),
    ]
  }
  if (refusal === 'EACCES') {
    const fix = `http: {port: 8545} behind a proxy, or: sudo sysctl net.ipv4.ip_unprivileged_port_start=${port}`
    return [problem('port_privileged', `only root may listen on port ${port}`, fix)]
  }
  return [
    problem(
      'host_not_here',
      `cannot listen on ${at} (${refusal}): this machine does not have the address`,
      'http: {host: 127.0.0.1}; ip address lists the addresses',
    ),
  ]
}

export function* checkFolder(machine: Machine, { dataDir }: Config): Generator<Problem> {
  const folder = machine.findFile(dataDir)
  if (folder !== null && folder.kind !== 'folder') {
    yield problem('data_no_folder', `${dataDir} is not a folder`, 'dataDir: ./cairn-data')
    return
  }
  const nearest = folder === null ? nearestFolder(machine, dataDir) : dataDir
  if (!machine.mayWrite(nearest)) {
    yield problem(
      'data_not_writable',
      `this user cannot write to ${nearest}`,
      `sudo chown -R "$(id -u)" ${nearest}`,
    )
  }
  yield* checkDisk(machine, nearest)
  if (folder === null) return
  if (machine.user !== null && machine.user !== 0 && folder.owner !== machine.user) {
    yield problem(
      'data_of_other_user',
      `${dataDir} belongs to user ${folder.owner}, but this is user ${machine.user}`,
      `sudo chown -R "$(id -u)" ${dataDir}`,
    )
  }
  // Other users can read the files in the folder only if its mode and theirs permit it.
  if ((folder.mode & 0o002) !== 0) {
    yield problem('data_open', `all users can write to ${dataDir}`, `chmod 700 ${dataDir}`)
  }
  for (const name of ['cairn.db', 'identity.pem', 'network.pem']) {
    const path = join(dataDir, name)
    const file = machine.findFile(path)
    const open = name === 'cairn.db' ? 0o007 : 0o077
    if (file !== null && (file.mode & open) !== 0 && (folder.mode & open) !== 0) {
      yield problem(
        'data_readable',
        `other users can read ${path}`,
        `chmod 600 ${path}; chmod 700 ${dataDir}`,
      )
    }
  }
}

export function checkSettingsFile(machine: Machine, path: string): readonly Problem[] {
  const file = machine.findFile(path)
  if (file === null || (file.mode & 0o022) === 0) return []
  return [problem('settings_open', `other users can change ${path}`, `chmod go-w ${path}`)]
}

function* checkDisk(machine: Machine, folder: string): Generator<Problem> {
  const { type, freeBytes, freeFiles } = machine.disk(folder)
  if (memoryDisks.includes(type)) {
    yield problem(
      'data_in_memory',
      `${folder} is in memory (tmpfs): a restart of the machine deletes it`,
      'dataDir: /var/lib/cairn',
    )
  }
  if (networkDisks.includes(type)) {
    yield problem(
      'data_on_network',
      `${folder} is on a network disk, where SQLite cannot lock its log safely`,
      'dataDir: /var/lib/cairn, on a disk of this machine',
    )
  }
  const free = Math.floor(freeBytes / mib)
  const fix = `free disk space (df -h ${folder}), or set dataDir to another disk`
  if (free < 100) yield problem('disk_full', `the disk of ${folder} has ${free} MiB left`, fix)
  else if (free < 1024) yield warning('disk_low', `the disk of ${folder} has ${free} MiB left`, fix)
  if (freeFiles === 0) {
    yield problem('disk_no_files', `the disk of ${folder} has no free inodes`, `df -i ${folder}`)
  }
}

function nearestFolder(machine: Machine, path: string): string {
  let at = dirname(resolve(path))
  while (machine.findFile(at) === null && dirname(at) !== at) at = dirname(at)
  return at
}
