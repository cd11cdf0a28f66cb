// Runs a script in a separate hardhat 3 project whose only network is a started server.
import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from './started-server.ts'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Null if hardhat's engine loads, else the reason to skip the test. */
export function missingEngine(): string | null {
  try {
    createRequire(import.meta.url)('@nomicfoundation/edr')
    return null
  } catch {
    return "left out: hardhat's engine is not installed; npm on Node 22 or newer brings it"
  }
}

/**
 * Returns the last line of the script's output, parsed as JSON. `network`: members of the network `cairn`, as source text.
 * `plugins`: packages whose default export is a plugin.
 */
export async function runHardhatScript(
  script: string,
  {
    network,
    plugins = [],
    env = {},
  }: {
    readonly network: string
    readonly plugins?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<unknown> {
  const project = await temporaryFolder()
  try {
    await symlink(modules, join(project, 'node_modules'))
    await mkdir(join(project, 'scripts'))
    await writeFile(join(project, 'package.json'), '{"type":"module"}')
    await writeFile(join(project, 'hardhat.config.js'), configOf(network, plugins))
    await writeFile(join(project, 'scripts/script.js'), script)
    const cli = join(modules, 'hardhat/dist/src/cli.js')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'run', '--no-compile', 'scripts/script.js'],
      {
        cwd: project,
        env: { ...process.env, HOME: project, CI: 'true', ...env },
        timeout: 60_000,
      },
    )
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } finally {
    await rm(project, { recursive: true, force: true })
  }
}

function configOf(network: string, plugins: readonly string[]): string {
  const imports = plugins.map((plugin, index) => `import plugin${index} from '${plugin}'\n`)
  return `import { defineConfig } from 'hardhat/config'
${imports.join('')}export default defineConfig({
  plugins: [${plugins.map((_, index) => `plugin${index}`).join(', ')}],
  networks: { cairn: { type: 'http', ${network} } },
})
`
}
