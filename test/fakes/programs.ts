// Runs programs in tests. If the machine lacks one, its tests are skipped with the reason.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Started } from '../started-server.ts'

/** Null if `python3` can import requests, else the reason to skip its tests. */
export function missingPython(): string | null {
  const { status } = spawnSync('python3', ['-c', 'import requests'])
  return status === 0 ? null : 'left out: python3 with requests is not installed'
}

/** Null if `curl` runs, else the reason to skip its tests. */
export function missingCurl(): string | null {
  const { status } = spawnSync('curl', ['--version'])
  return status === 0 ? null : 'left out: curl is not installed'
}

/** Environment of programs: URL and credentials of a started server. */
function environmentOf(cairn: Started): Record<string, string | undefined> {
  return {
    ...process.env,
    CAIRN_URL: cairn.url,
    CAIRN_KEY: cairn.apiKey,
    CAIRN_SECRET: cairn.apiKeySecret,
    CAIRN_DATA_DIR: cairn.dataDir,
  }
}

/** Runs a program with these arguments. Resolves with its output; rejects on a non-zero exit. */
export async function run(
  cairn: Started,
  program: string,
  args: readonly string[],
): Promise<string> {
  const env = environmentOf(cairn)
  return (await promisify(execFile)(program, [...args], { env, timeout: 120_000 })).stdout
}
