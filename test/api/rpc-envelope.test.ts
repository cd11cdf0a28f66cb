// Replays the envelope transcripts against the JSON-RPC API over a fake gateway.
import { deepEqual } from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { goodKey } from '../fakes/gateway.ts'
import { type RpcServer, startRpcServer } from '../fakes/rpc-server.ts'
import { envelopeTranscripts } from './rpc-envelope.ts'

suite('envelopes are answered byte for byte', () => {
  let started: RpcServer
  before(async () => {
    started = await startRpcServer()
  })
  after(() => started.stop())

  for (const { name, request, status, reply } of envelopeTranscripts('0x539')) {
    test(name, async () => {
      const response = await fetch(`${started.url}/v3/${goodKey}`, {
        method: 'POST',
        body: request,
        headers: { 'content-type': 'application/json' },
      })
      deepEqual([response.status, await response.text()], [status, reply])
    })
  }
})
