// Programs that check the files of deploy/ or run next to the server in tests. If a program is missing, its tests are skipped with
// the reason; in CI, .ci/tools has installed all of them except those in CAIRN_CI_WITHOUT, and a missing one fails its test.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Options of a test that needs these programs. */
export function needs(...programs: readonly string[]): { readonly skip?: string } {
  const missing = programs.filter((program) => findProgram(program) === null)
  if (missing.length === 0) return {}
  // .ci/run counts skips by this text.
  if (missing.some(isLeftOut)) {
    return { skip: `left out by CAIRN_CI_WITHOUT: ${missing.join(', ')}` }
  }
  return process.env['CI'] === 'true' ? {} : { skip: `not installed: ${missing.join(', ')}` }
}

function isLeftOut(name: string): boolean {
  return (process.env['CAIRN_CI_WITHOUT'] ?? '').split(' ').includes(name)
}

/** Options of a test that mounts file systems. */
export function needsMounts(): { readonly skip?: string } {
  const { status } = spawnSync('unshare', ['--mount', 'true'])
  if (status === 0) return {}
  if (isLeftOut('mounts')) return { skip: 'left out by CAIRN_CI_WITHOUT: mounts' }
  return process.env['CI'] === 'true' ? {} : { skip: 'this user cannot mount file systems' }
}

/** Debian's folder of PostgreSQL, which is not in the PATH. */
const postgresFolders = ['17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`)

export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...postgresFolders]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

/** Output of a program, run in the project's root folder. Rejects with its output if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env }
  const execOptions = { cwd: options.cwd ?? root, env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(program, [...args], execOptions).catch(
    (thrown: unknown) => {
      const { message, stdout: out, stderr } = thrown as Error & { stdout: string; stderr: string }
      throw new Error(`${message}\n${out}\n${stderr}`, { cause: thrown })
    },
  )
  return stdout
}
