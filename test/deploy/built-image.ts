// The image, built by buildah on a base of debootstrap (.ci/tools), and a container of it: with the image's command line, user and
// environment, in a separate mount namespace with a read-only root.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../started-server.ts'
import { findProgram, root, run } from './programs.ts'

export type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly ExposedPorts: Readonly<Record<string, unknown>>
  readonly Labels: Readonly<Record<string, string>>
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export type BuiltImage = {
  readonly config: ImageConfig
  /** Root folder of the image's files. */
  readonly files: string
  /** Runs a command line in a container whose volume is `data`; `env` as with `docker run --env`. */
  start(data: string, args: readonly string[], env?: Record<string, string>): ChildProcess
  remove(): Promise<void>
}

const name = 'localhost/cairn'
const base = 'localhost/cairn-base'

/** The base image of .ci/tools. */
export const baseFile = join(
  process.env['CAIRN_CI_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'cairn-ci'),
  'base.tar',
)

/** Takes minutes. */
export async function buildImage(): Promise<BuiltImage> {
  const folder = await temporaryFolder()
  const storage = [
    '--storage-driver',
    await storageDriver(folder),
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
  ]
  const buildah = (...args: string[]) => run('buildah', [...storage, ...args])
  const remove = async () => {
    await buildah('umount', '--all')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await makeBase(buildah)
    await bud(buildah, folder)
    const inspected = JSON.parse(await buildah('inspect', '--type', 'image', name)) as {
      readonly Docker: { readonly config: ImageConfig }
    }
    const { config } = inspected.Docker
    const container = (await buildah('from', '--pull-never', name)).trim()
    const files = (await buildah('mount', container)).trim()
    const start: BuiltImage['start'] = (data, args, env = {}) =>
      startIn(files, config, data, args, env)
    return { config, files, start, remove }
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    throw thrown
  }
}

/** vfs copies all files of an image for each container, so it is used only where overlay cannot be, as within a container. */
async function storageDriver(folder: string): Promise<'overlay' | 'vfs'> {
  const script =
    'cd "$1" && mkdir lower upper work both && mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none both'
  const isMounted = run('unshare', ['--mount', 'sh', '-ceu', script, 'sh', folder])
  return isMounted.then(
    () => 'overlay',
    () => 'vfs',
  )
}

type Buildah = (...args: string[]) => Promise<string>

/** The content of node:24-bookworm-slim: Debian, Node and npm, copied from this machine. */
async function makeBase(buildah: Buildah): Promise<void> {
  const container = (await buildah('from', 'scratch')).trim()
  const npm = join(realpathSync(findProgram('npm') ?? ''), '../..')
  await buildah('add', container, baseFile, '/')
  await buildah('copy', container, process.execPath, '/usr/local/bin/node')
  await buildah('copy', container, npm, '/usr/local/lib/node_modules/npm')
  const files = (await buildah('mount', container)).trim()
  await run('ln', [
    '-s',
    '../lib/node_modules/npm/bin/npm-cli.js',
    join(files, 'usr/local/bin/npm'),
  ])
  await run('chmod', ['755', join(files, 'usr/local/bin/node')])
  await buildah('umount', container)
  await buildah(
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  )
  await buildah('commit', '--rm', '--format', 'docker', container, base)
}

/** npm uses this machine's cache and registry. */
async function bud(buildah: Buildah, folder: string): Promise<void> {
  const [cache, registry] = await Promise.all(
    ['cache', 'registry'].map(async (key) => (await run('npm', ['config', 'get', key])).trim()),
  )
  const certificates = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt'
  const settings = join(folder, 'npm')
  await mkdir(settings)
  await writeFile(
    join(settings, 'npmrc'),
    `registry=${registry}\ncafile=/etc/npm/certificates.crt\n`,
  )
  await run('cp', [certificates, join(settings, 'certificates.crt')])
  await mkdir(cache ?? '', { recursive: true })
  await buildah(
    'bud',
    '--isolation',
    'chroot',
    '--pull-never',
    '--format',
    'docker',
    '--build-arg',
    `BASE=${base}`,
    '--volume',
    `${cache}:/root/.npm`,
    '--volume',
    `${settings}:/etc/npm:ro`,
    '--volume',
    `${join(settings, 'npmrc')}:/root/.npmrc:ro`,
    '--file',
    'deploy/docker/Dockerfile',
    '--tag',
    name,
    '.',
  )
}

// Executes the program in place, so that it receives signals as process 1 of a container does.
const enter = `
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1/var/lib/cairn"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
files=$1 user=$3
shift 3
exec chroot --userspec="$user" --groups= "$files" env -i "$@"
`

function startIn(
  files: string,
  config: ImageConfig,
  data: string,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const own = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  return spawn(
    'unshare',
    [
      '--mount',
      'sh',
      '-ceu',
      enter,
      'sh',
      files,
      data,
      config.User,
      '--chdir',
      config.WorkingDir || '/',
      ...config.Env,
      ...own,
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], cwd: dirname(root) },
  )
}
