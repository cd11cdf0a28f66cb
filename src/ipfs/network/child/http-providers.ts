// Trustless gateways that routing returns as providers (`GET /ipfs/<cid>?format=raw`). Their addresses are untrusted, so only
// public ones are contacted, over HTTPS, unless the network is private. Before its first request, and every hour, a gateway must
// return the empty block.
// Tested by src/ipfs/network/child/http-providers.test.ts
import { isIP } from 'node:net'
import { isPublicAddress } from '../../../base/addresses.ts'
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/lru-cache.ts'
import { decodeCid } from '../../../codec/ipld/cid.ts'
import { verifyDagBlock } from '../../../codec/ipld/verify-dag-block.ts'
import { createFileSource, type FileSource } from '../../sources/file-source.ts'
import { blockBytesMax } from '../net-frames.ts'
import type { BlockPeer } from './block-peer.ts'
import { mayUsePort, publicLookup } from './dial-rules.ts'

export type HttpProviders = {
  /** Null: the address is not allowed, or it is not a trustless gateway. */
  open(url: string): Promise<BlockPeer | null>
  readonly blocksReceived: number
}

export type HttpProviderParts = {
  readonly clock: Clock
  readonly isPrivate: boolean
  /** `bytes` null: the gateway does not have the block, or failed. */
  readonly answered: (name: string, cid: Uint8Array, bytes: Uint8Array | null) => void
  readonly sentInvalid: (name: string) => void
}

export const gatewaysMax = 100
export const concurrency = 16
const timeoutMs = 30_000
const probeMs = 60 * 60_000
const excludedMs = 10 * 60_000

type Gateway = {
  readonly source: FileSource
  probedAt: number
  excludedUntil: number
  readonly requests: Map<string, AbortController>
}

export function createHttpProviders(parts: HttpProviderParts): HttpProviders {
  const { clock, isPrivate } = parts
  const gateways = new Map<string, Gateway>()
  let blocksReceived = 0

  function gatewayOf(url: string): Gateway {
    const known = gateways.get(url)
    if (known !== undefined) return known
    const source = createFileSource(
      {
        name: url,
        url,
        speaks: 'gateway',
        headers: {},
        concurrency,
        timeoutMs,
        blockBytesMax,
        ...(isPrivate ? {} : { lookup: publicLookup }),
      },
      clock,
    )
    const gateway = { source, probedAt: -Infinity, excludedUntil: 0, requests: new Map() }
    const [oldest] = gateways.entries()
    if (gateways.size >= gatewaysMax && oldest !== undefined) void oldest[1].source.close()
    setNewest(gateways, url, gateway, gatewaysMax)
    return gateway
  }

  async function fetchBlock(name: string, gateway: Gateway, bytes: Uint8Array): Promise<void> {
    const cid = decodeCid(bytes)
    const key = Buffer.from(bytes).toString('latin1')
    if (cid === null || gateway.requests.has(key)) return
    const aborter = new AbortController()
    gateway.requests.set(key, aborter)
    let block: Uint8Array | null = null
    try {
      block = await gateway.source.find(cid, aborter.signal)
      if (block !== null) verifyDagBlock(cid.multihash.bytes, block)
    } catch {
      if (block !== null) {
        gateway.source.reportInvalid()
        gateway.excludedUntil = clock.monotonic() + excludedMs
        parts.sentInvalid(name)
      }
      block = null
    }
    gateway.requests.delete(key)
    if (aborter.signal.aborted) return
    if (block !== null) blocksReceived += 1
    parts.answered(name, bytes, block)
  }

  return {
    async open(url) {
      if (!isAllowedGateway(url, isPrivate)) return null
      const gateway = gatewayOf(url)
      const now = clock.monotonic()
      if (now < gateway.excludedUntil) return null
      if (now - gateway.probedAt >= probeMs) {
        await gateway.source.probe(new AbortController().signal)
        gateway.probedAt = now
      }
      return {
        name: url,
        want(cid, haveOnly) {
          if (!haveOnly) void fetchBlock(url, gateway, cid)
        },
        cancel(cid) {
          const key = Buffer.from(cid).toString('latin1')
          gateway.requests.get(key)?.abort(new Error('not wanted any more'))
        },
      }
    },
    get blocksReceived() {
      return blocksReceived
    },
  }
}

/** Whether a gateway may be contacted: HTTPS and a public host, unless the network is private. `text`: an origin. */
export function isAllowedGateway(text: string, isPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.pathname !== '/') return false
  if (isPrivate) return true
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? 443 : Number(url.port)
  if (url.protocol !== 'https:' || !mayUsePort(port)) return false
  return isIP(host) === 0 ? host.includes('.') : isPublicAddress(host)
}
