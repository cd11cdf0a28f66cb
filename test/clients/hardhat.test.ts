// hardhat 3, in a project of its own whose one network is a started server: deploy, send, wait, read.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { devAccounts } from '../fakes/client-keys.ts'
import { storageInit, word } from '../fakes/storage-contract.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Null if hardhat's engine loads, else the reason to skip the test. */
function missingEngine(): string | null {
  try {
    createRequire(import.meta.url)('@nomicfoundation/edr')
    return null
  } catch {
    return "left out: hardhat's engine is not installed; npm on Node 22 or newer brings it"
  }
}

const config = `import { defineConfig } from 'hardhat/config'
export default defineConfig({
  networks: {
    cairn: { type: 'http', url: process.env.CAIRN_URL, accounts: [process.env.DEV_KEY] },
  },
})
`

const script = `import hre from 'hardhat'
const { provider } = await hre.network.connect('cairn')
const request = (method, ...params) => provider.request({ method, params })
const [from] = await request('eth_accounts')
const send = async (transaction) => {
  const hash = await request('eth_sendTransaction', { from, ...transaction })
  return request('eth_getTransactionReceipt', hash)
}
const { contractAddress: to } = await send({ data: process.env.INIT_CODE })
const { status } = await send({ to, data: process.env.STORE_DATA })
const slots = await Promise.all(['0x0', '0x7'].map((slot) => request('eth_getStorageAt', to, slot, 'latest')))
const refusal = await request('nope_x').catch((error) => error.message)
console.log(JSON.stringify({ status, slots, refusal, code: await request('eth_chainId') }))
`

test('a hardhat project deploys, sends and reads, signing with its own key', async (t) => {
  const missing = missingEngine()
  if (missing !== null) return t.diagnostic(missing)
  const cairn = await startCairn()
  const project = await temporaryFolder()
  try {
    await symlink(modules, join(project, 'node_modules'))
    await mkdir(join(project, 'scripts'))
    await writeFile(join(project, 'package.json'), '{"type":"module"}')
    await writeFile(join(project, 'hardhat.config.js'), config)
    await writeFile(join(project, 'scripts/deploy.js'), script)
    const cli = join(modules, 'hardhat/dist/src/cli.js')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'run', '--no-compile', 'scripts/deploy.js'],
      {
        cwd: project,
        env: {
          ...process.env,
          HOME: project,
          CI: 'true',
          CAIRN_URL: `${cairn.url}/v3/${cairn.apiKey}`,
          DEV_KEY: (await devAccounts(cairn))[0]?.privateKey ?? '',
          INIT_CODE: storageInit,
          STORE_DATA: `0x${word(7)}${word(42)}`,
        },
        timeout: 60_000,
      },
    )
    const shown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { refusal: string }
    assert.deepEqual(shown, {
      status: '0x1',
      slots: [`0x${word(1234)}`, `0x${word(42)}`],
      refusal: 'The method nope_x does not exist/is not available',
      code: '0x539',
    })
  } finally {
    await cairn.stop()
    await rm(project, { recursive: true, force: true })
  }
})
