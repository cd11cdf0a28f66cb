// The curl lines of the README, run unchanged by a shell against a started server.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startCairn } from './started-server.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const noCurl = spawnSync('curl', ['--version']).error !== undefined && 'curl is not installed'

test(
  'the curl commands of the README return the documented replies',
  { skip: noCurl },
  async () => {
    const cairn = await startCairn()
    try {
      const [storage = '', add = '', cat = '', ...more] = curlLines()
      assert.deepEqual(more, [])
      const [headers = '', body = ''] = (await shell(storage, cairn)).split('\r\n\r\n')
      assert.match(headers, /^x-cairn-verified: proof\r$/im)
      const result = `0x${'4d2'.padStart(64, '0')}`
      assert.deepEqual(JSON.parse(body), { jsonrpc: '2.0', id: 1, result })
      const { Hash } = JSON.parse(await shell(add, cairn)) as { Hash: string }
      assert.ok(cat.includes(`arg=${Hash}`))
      assert.equal(await shell(cat, cairn), 'hello cairn\n')
    } finally {
      await cairn.stop()
    }
  },
)

test('the README is at most a hundred lines', () => {
  const lines = readme.trimEnd().split('\n')
  assert.ok(lines.length <= 100, `${lines.length} lines`)
})

/** The curl commands of the README, with continued lines joined. */
function curlLines(): readonly string[] {
  const blocks = readme.split('```').filter((_text, index) => index % 2 === 1)
  return blocks
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.includes('curl '))
}

async function shell(
  line: string,
  { url, apiKey, apiKeySecret }: { url: string; apiKey: string; apiKeySecret: string },
): Promise<string> {
  const env = { ...process.env, API_KEY: apiKey, API_SECRET: apiKeySecret }
  const command = line.replaceAll('http://127.0.0.1:8545', url)
  return (await promisify(execFile)('sh', ['-c', command], { env })).stdout
}
