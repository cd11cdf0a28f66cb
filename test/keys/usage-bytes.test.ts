// Usage counts the bytes of JSON-RPC bodies in both directions.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { runCli, startCairn, temporaryFolder } from '../started-server.ts'

type Line = { method: string; requests: number; bytesIn: number; bytesOut: number }

test('bodies of calls are counted to the byte, a batch as one, over HTTP and WebSocket', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true }))
  const cairn = await startCairn({ dataDir })
  try {
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })
    const expected = new Map<string, { in: number; out: number }>()
    const add = (method: string, sent: string, received: string): void => {
      const sum = expected.get(method) ?? { in: 0, out: 0 }
      expected.set(method, { in: sum.in + sent.length, out: sum.out + received.length })
    }
    const post = async (method: string, body: string): Promise<void> => {
      const headers = { 'content-type': 'application/json' }
      const url = `${cairn.url}/v3/${cairn.apiKey}`
      const response = await fetch(url, { method: 'POST', headers, body })
      add(method, body, await response.text())
    }
    await post('eth_chainId', JSON.stringify(call(1)))
    await post('eth_chainId', JSON.stringify(call(22)))
    await post('batch', JSON.stringify([call(1), call(2), call(3)]))
    const wrong = { ...call(5), method: 'eth_getBalance', params: ['none', 'latest'] }
    await post('eth_getBalance', JSON.stringify(wrong))

    const socket = new WebSocket(`${cairn.url.replace('http', 'ws')}/ws/v3/${cairn.apiKey}`)
    await new Promise((resolve) => socket.once('open', resolve))
    const frame = JSON.stringify(call(333))
    const reply = new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString())),
    )
    socket.send(frame)
    add('eth_chainId', frame, await reply)
    socket.close()
    // The counts are written by then.
    await cairn.stop()

    const printed = await runCli(['usage', '--data-dir', dataDir, '--json'])
    const { usage } = printed as unknown as { usage: readonly Line[] }
    for (const [method, bytes] of expected) {
      const lines = usage.filter((line) => line.method === method)
      const sum = (of: (line: Line) => number) => lines.reduce((all, line) => all + of(line), 0)
      assert.deepEqual(
        { in: sum((it) => it.bytesIn), out: sum((it) => it.bytesOut) },
        bytes,
        method,
      )
    }
  } finally {
    await cairn.stop()
  }
})
