// A network process that gets no processor for longer than its time limits: the answers that arrived meanwhile still count.
import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pass } from 'node:timers/promises'
import { processorWaitMs } from '../../src/ipfs/network/processor-wait.ts'
import { routerLimits } from '../../src/ipfs/network/child/routers.ts'
import { fileDag } from '../fakes/dags.ts'
import { startNetChild } from '../fakes/net-child.ts'
import { startP2pPeer } from '../fakes/p2p-peer.ts'

test('a block is found although the process was stopped for longer than a router may take', async (t) => {
  const file = fileDag(Buffer.from('found late'))
  const peer = await startP2pPeer(t, 'honest', file.blocks)
  const [address = ''] = peer.address.split('/p2p/')
  const record = { Schema: 'peer', ID: peer.id, Addrs: [address] }
  const router = createServer()
  t.after(() => router.close().closeAllConnections())
  await once(router.listen(0, '127.0.0.1'), 'listening')
  const { port } = router.address() as AddressInfo
  const child = await startNetChild(t, { routers: [`http://127.0.0.1:${port}`] })
  const outcome = child.open(file.root).fetch(file.root)
  const [, response] = (await once(router, 'request')) as [IncomingMessage, ServerResponse]
  child.process.kill('SIGSTOP')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.end(`${JSON.stringify(record)}\n`)
  await pass(routerLimits.timeoutMs + 500)
  child.process.kill('SIGCONT')
  const { kind } = await outcome
  equal(kind, 'found')
  ok(peer.wants().length > 0)
})

test('the wait for a processor is known on Linux, and 0 of a process that does not exist', () => {
  if (process.platform === 'linux') ok(processorWaitMs(process.pid) > 0)
  equal(processorWaitMs(2 ** 30), 0)
})
