// More than twenty secrets planted where clients and operators put them: in valid and invalid requests of both APIs, in the
// input of the command line, around a crashed EVM thread. None may appear except where it is shown on purpose.
// Tests guarantee 8 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { test } from 'node:test'
import { createApiKey, createApiSecret, visiblePart } from '../../src/access/accounts/api-key.ts'
import { bin, startCairn, temporaryFolder } from '../started-server.ts'
import { exchangeBytes } from './raw-replies.ts'

type Planted = { readonly where: string; readonly text: string }

function basic(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64')
}

/** Runs the command with `input`; resolves with its output. */
function runWith(args: readonly string[], input: string): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: 'pipe' })
  return new Promise((resolve) => {
    let printed = ''
    child.stdout.on('data', (text: Buffer) => (printed += text.toString()))
    child.stderr.on('data', (text: Buffer) => (printed += text.toString()))
    child.once('close', () => resolve(printed))
    child.stdin.end(input)
  })
}

/** Command line and environment of a process and its children, as any user of the machine can read them. */
async function visibleOf(child: ChildProcess): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const texts: string[] = []
  for (const pid of pids) {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
      if (pid !== String(child.pid) && parent !== String(child.pid)) continue
      texts.push(await readFile(`/proc/${pid}/cmdline`, 'latin1'))
      texts.push(await readFile(`/proc/${pid}/environ`, 'latin1'))
    } catch {
      // The process has ended in the meantime.
    }
  }
  return texts.join('\n')
}

test(
  'twenty planted secrets appear in no log, reply, file, process list or report',
  { skip: platform !== 'linux' && 'reads /proc' },
  async (t) => {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const planted: Planted[] = []
    const plant = (where: string, text: string): string => {
      planted.push({ where, text })
      return text
    }
    const hex = (bytes: number) => randomBytes(bytes).toString('hex')

    const cairn = await startCairn({ dataDir, env: { CAIRN_LOG_LEVEL: 'debug' } })
    let logged = ''
    cairn.child.stderr?.on('data', (text: Buffer) => (logged += text.toString()))
    const importedKey = plant('a key imported on standard input', hex(16))
    const importedSecret = plant('a secret imported on standard input', hex(16))
    const imported = await runWith(
      ['keys', 'create', '--import-key', '--data-dir', dataDir, '--json'],
      `${importedKey}\n${importedSecret}\n`,
    )
    const badImport = plant('a malformed secret imported on standard input', `!${hex(16)}`)
    const refusedImport = await runWith(
      ['keys', 'create', '--import-key', '--data-dir', dataDir],
      `${hex(16)}\n${badImport}\n`,
    )

    const port = Number(new URL(cairn.url).port)
    const made = (await cairn.cli('keys', 'create')) as { apiKey: string; apiKeySecret: string }
    const key = plant('a good key', made.apiKey)
    const secret = plant('a good secret', made.apiKeySecret)
    const replies: string[] = []
    const send = async (path: string, headers: Record<string, string>, body: string) => {
      const response = await fetch(cairn.url + path, { method: 'POST', headers, body })
      replies.push(JSON.stringify([...response.headers]) + (await response.text()))
      return response.status
    }
    const raw = async (bytes: string, hangUp = false) => {
      replies.push(await exchangeBytes(port, bytes, hangUp))
    }
    const json = { 'content-type': 'application/json' }
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

    // Valid uses: these are accepted.
    assert.equal(
      await send(`/v3/${key}`, { ...json, authorization: `Basic ${basic('', secret)}` }, call),
      200,
    )
    plant('a valid header for the JSON-RPC API', basic('', secret))
    assert.equal(
      await send('/api/v0/version', { authorization: `Basic ${basic(key, secret)}` }, ''),
      200,
    )
    plant('a valid header for the IPFS API', basic(key, secret))
    assert.equal(await send(`/v3/${importedKey}`, json, call), 200)

    // Invalid uses.
    const unknownKey = plant('an unknown key in a path', createApiKey())
    assert.equal(await send(`/v3/${unknownKey}`, json, call), 401)
    const wrongSecret = plant('a wrong secret', createApiSecret())
    assert.equal(
      await send(`/v3/${key}`, { ...json, authorization: `Basic ${basic('', wrongSecret)}` }, call),
      401,
    )
    assert.equal(
      await send(
        '/api/v0/add',
        { authorization: `Basic ${basic(key, plant('a wrong secret for the IPFS API', hex(16)))}` },
        '',
      ),
      401,
    )
    assert.equal(
      await send(
        '/api/v0/version',
        { authorization: `Bearer ${plant('a bearer token', hex(24))}` },
        '',
      ),
      401,
    )
    const jwt = plant('a wrong JWT', `${hex(16)}.${hex(16)}.${hex(32)}`)
    assert.equal(await send(`/v3/${key}`, { ...json, authorization: `Bearer ${jwt}` }, call), 401)
    await send(`/v3/${plant('a key that is no key', `${hex(16)}!`)}`, json, call)
    await send(`/nowhere/v3/${plant('a key on another network', createApiKey())}`, json, call)
    await send(`/v3/${plant('a key with a tail', hex(16))}/more`, json, call)
    await send(
      `/api/v0/${plant('a key as a command', hex(16))}`,
      { authorization: `Basic ${basic(key, secret)}` },
      '',
    )
    await send(
      `/v3/${key}`,
      { ...json, 'x-request-id': `no "${plant('an unused header', hex(16))}` },
      call,
    )
    const target = plant('a key in an absolute target', createApiKey())
    await raw(
      `POST http://b/v3/${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    )
    await raw(
      `POST /v3/${plant('a key in a request that cannot be read', createApiKey())} HTTP/1.1\r\nbad header\r\n\r\n`,
    )
    await raw(
      `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${plant('one of two headers', basic('', hex(16)))}\r\nAuthorization: x\r\nConnection: close\r\n\r\n`,
    )
    await raw(
      `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\n{"${plant('a body cut short', hex(16))}`,
      true,
    )

    // In bodies, into which people paste them.
    const privateKey = plant('a private key instead of a transaction', hex(32))
    await send(
      `/v3/${key}`,
      json,
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_sendRawTransaction',
        params: [`0x${privateKey}`],
      }),
    )
    await send(
      `/v3/${key}`,
      json,
      `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x${plant('data of a call', hex(40))}"},"latest"]}`,
    )
    await send(
      `/v3/${key}`,
      json,
      `{"jsonrpc":"2.0","id":1,"password":"${plant('an unused member', hex(16))}"`,
    )

    // With a line break, which could forge a log line.
    const forged = '{"level":"error","event":"forged"}'
    await send(
      `/v3/${key}`,
      json,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: `x\n${forged}\n` }),
    )
    await send(
      `/api/v0/cat?arg=${encodeURIComponent(`x\n${forged}\n`)}`,
      { authorization: `Basic ${basic(key, secret)}` },
      '',
    )

    const usage = await runWith(['usage', '--data-dir', dataDir], '')
    const listed = await runWith(['keys', 'list', '--data-dir', dataDir, '--json'], '')
    const configured = await runWith(['config', 'print', '--data-dir', dataDir], '')
    const visible = await visibleOf(cairn.child)
    const { apiKey: firstKey, apiKeySecret: firstSecret } = cairn
    plant('the first key', firstKey)
    plant('the first secret', firstSecret)
    assert.equal(await cairn.stop(), 0)
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
    const files = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }) =>
          (await readFile(join(parentPath, name))).toString('latin1'),
        ),
    )

    assert.ok(planted.length >= 20, `${planted.length} planted`)
    assert.ok(logged.includes('"event":"request"'), 'the log is at debug level')
    const places: readonly (readonly [name: string, text: string])[] = [
      ['the log', logged],
      ['a reply', replies.join('\n')],
      ['the data folder', files.join('\n')],
      ['the process list', visible],
      ['the usage report', usage],
      ['the list of keys', listed],
      ['the settings', configured],
      ['the answer to an import', imported.replace(importedKey, '').replace(importedSecret, '')],
      ['the refusal of an import', refusedImport],
    ]
    const found: string[] = []
    for (const { where, text } of planted) {
      for (const [name, place] of places) {
        if (place.includes(text)) found.push(`${where} in ${name}`)
      }
    }
    assert.deepEqual(found, [])
    // Only the hash, and the prefix for lists, are stored.
    assert.ok(
      files.some((file) => file.includes(createHash('sha256').update(key).digest('binary'))),
    )
    assert.ok(listed.includes(visiblePart(key)))
    for (const line of logged.trim().split('\n')) {
      const { event } = JSON.parse(line) as { event?: unknown }
      assert.ok(typeof event === 'string' && event !== 'forged', line)
    }
  },
)
