// Client of the IPFS API of a started server.
import assert from 'node:assert/strict'

type Server = { readonly url: string; readonly apiKey: string; readonly apiKeySecret: string }

export function filesClient({ url, apiKey, apiKeySecret }: Server) {
  const pair = Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')
  const headers = { authorization: `Basic ${pair}` }

  /** `command`: `cat?arg=…`. */
  async function post(
    command: string,
    body?: FormData | ReadableStream,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const more = body === undefined ? {} : { body, duplex: 'half' as const }
    return await fetch(`${url}/api/v0/${command}`, { method: 'POST', headers, signal, ...more })
  }

  /** Returns the CID. */
  async function add(bytes: Uint8Array, options = ''): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'file')
    const response = await post(`add?${options}`, form)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return (JSON.parse(text.trim().split('\n').at(-1) ?? '') as { Hash: string }).Hash
  }

  async function block(cid: string): Promise<Uint8Array> {
    const response = await post(`block/get?arg=${cid}`)
    assert.equal(response.status, 200)
    return new Uint8Array(await response.arrayBuffer())
  }

  return { post, add, block, headers }
}
