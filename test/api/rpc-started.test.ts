// The JSON-RPC API of a started server: envelopes byte for byte, and the recorded replies of go-ethereum on the recorded chain,
// imported into the embedded one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { chainFolder } from '../fakes/chain-vectors.ts'
import { startRecordedChain } from '../fakes/upstream/recorded-chain.ts'
import { startCairn } from '../started-server.ts'
import { echoedIds, envelopeTranscripts } from './rpc-envelope.ts'
import { replayTranscripts } from './rpc-compat.ts'
import { readTranscripts } from './transcripts.ts'

const json = { 'content-type': 'application/json' }

/** Recorded replies that this test does not replay, each with its reason. */
const leftOut: Readonly<Record<string, string>> = {
  eth_sendRawTransaction: 'needs the recorded pool in its order: pool-started.test.ts',
  txpool_content: 'shows the recorded pool: pool-started.test.ts',
  txpool_contentFrom: 'shows the recorded pool: pool-started.test.ts',
  txpool_status: 'shows the recorded pool: pool-started.test.ts',
}

test('envelopes, IDs and refusals match the transcripts byte for byte', async () => {
  const cairn = await startCairn()
  try {
    const send = async (body: string) => {
      const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
        method: 'POST',
        headers: json,
        body,
      })
      return { status: response.status, text: await response.text() }
    }
    for (const { name, request, status, reply } of envelopeTranscripts('0x539')) {
      assert.deepEqual(await send(request), { status, text: reply }, name)
    }
    for (const id of echoedIds) {
      const { text } = await send(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)
      assert.equal(text, `{"jsonrpc":"2.0","id":${id},"result":"0x539"}`)
    }
  } finally {
    await cairn.stop()
  }
})

test('a storage read is labelled proof, with its block', async () => {
  const cairn = await startCairn()
  try {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getStorageAt',
      params: ['0x295a70b2de5e3953354a6a8344e616ed314d7251', '0x0', 'latest'],
    })
    const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
      method: 'POST',
      headers: json,
      body,
    })
    assert.equal(response.headers.get('x-cairn-verified'), 'proof')
    assert.equal(response.headers.get('x-cairn-head'), 'embedded')
    assert.equal(response.headers.get('x-cairn-block-number'), '0x0')
    assert.match(response.headers.get('x-cairn-block') ?? '', /^0x[0-9a-f]{64}$/)
    assert.equal(response.headers.get('x-cairn-units'), '80')
  } finally {
    await cairn.stop()
  }
})

test('refusals by key, network and limit have the expected status, code and IDs', async () => {
  const cairn = await startCairn()
  try {
    const single = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}'
    const ask = async (path: string, headers: Record<string, string> = {}, body = single) => {
      const response = await fetch(cairn.url + path, {
        method: 'POST',
        headers: { ...json, ...headers },
        body,
      })
      return {
        status: response.status,
        body: (await response.json()) as never,
        headers: response.headers,
      }
    }
    const refused =
      (code: number, message: string, id: number | null = 7) =>
      (reply: { id: unknown; error: Record<string, unknown> }) => {
        assert.equal(reply.error['code'], code)
        assert.equal(reply.error['message'], message)
        assert.equal(reply.id, id)
      }
    const unknown = await ask('/v3/nosuchkey1234')
    assert.equal(unknown.status, 401)
    refused(-32600, 'invalid project id')(unknown.body)
    assert.match(unknown.headers.get('www-authenticate') ?? '', /^Basic/)
    const wrongSecret = await ask(`/v3/${cairn.apiKey}`, {
      authorization: `Basic ${btoa(':wrong')}`,
    })
    assert.equal(wrongSecret.status, 401)
    refused(-32600, 'invalid project id or project secret')(wrongSecret.body)
    const right = await ask(`/v3/${cairn.apiKey}`, {
      authorization: `Basic ${btoa(`:${cairn.apiKeySecret}`)}`,
    })
    assert.equal(right.status, 200)
    const network = await ask(`/mainnet/v3/${cairn.apiKey}`)
    assert.equal(network.status, 404)
    refused(-32002, 'network mainnet is not served')(network.body)
    assert.equal((await ask(`/dev/v3/${cairn.apiKey}`)).status, 200)

    const locked = (await cairn.cli('keys', 'create', '--secret-required')) as { apiKey: string }
    const secretless = await ask(`/v3/${locked.apiKey}`)
    assert.equal(secretless.status, 403)
    assert.deepEqual((secretless.body as { error: { data: unknown } }).error.data, {
      code: 'refused_by_setting',
      reason: 'secret_required',
    })
    const daily = (await cairn.cli('keys', 'create', '--units-per-day', '10')) as { apiKey: string }
    assert.equal((await ask(`/v3/${daily.apiKey}`)).status, 200)
    assert.equal((await ask(`/v3/${daily.apiKey}`)).status, 200)
    const spent = await ask(`/v3/${daily.apiKey}`)
    assert.equal(spent.status, 402)
    refused(402, 'daily request count exceeded, request rate limited')(spent.body)
    const batch = await ask(`/v3/${daily.apiKey}`, {}, `[${single},${single}]`)
    assert.equal(batch.status, 402)
    assert.equal((batch.body as unknown[]).length, 2)
  } finally {
    await cairn.stop()
  }
})

test('the recorded chain is imported block by block, and every recorded reply in scope is returned', async (t) => {
  const cairn = await startRecordedChain(t)
  const recorded = new Set(readTranscripts(chainFolder).map(({ method }) => method))
  const replayed = new Set([...recorded].filter((method) => leftOut[method] === undefined))
  assert.equal(replayed.size, recorded.size - Object.keys(leftOut).length)
  const { sent, failures } = await replayTranscripts({
    folder: chainFolder,
    methods: replayed,
    exactMessages: replayed,
    async post(body) {
      const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
        method: 'POST',
        headers: json,
        body,
      })
      return { status: response.status, text: await response.text() }
    },
  })
  assert.ok(sent >= replayed.size)
  assert.deepEqual(
    failures.filter(({ name }) => !testChain.differences.has(name)),
    [],
  )
})
