// The README's curl lines, run by a shell as they stand, against a started server.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startCairn } from './started-server.ts'

const noCurl = spawnSync('curl', ['--version']).error !== undefined && 'curl is not installed'

test("the README's curl lines answer as it says", { skip: noCurl }, async () => {
  const cairn = await startCairn()
  try {
    const answers = await Promise.all(curlLines().map((line) => shell(line, cairn)))
    assert.equal(answers.length, 2)
    const [storage = '', added = ''] = answers
    assert.deepEqual(JSON.parse(storage), {
      jsonrpc: '2.0',
      id: 1,
      result: `0x${'4d2'.padStart(64, '0')}`,
    })
    const { Hash } = JSON.parse(added) as { Hash: string }
    const cat = `curl -s -X POST -u "$API_KEY:$API_SECRET" "http://127.0.0.1:8545/api/v0/cat?arg=${Hash}"`
    assert.equal(await shell(cat, cairn), 'hello cairn\n')
  } finally {
    await cairn.stop()
  }
})

/** The commands of the README that call curl, with continued lines joined. */
function curlLines(): readonly string[] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
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
