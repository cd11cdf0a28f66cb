// Client of the Pinning Service API of a started server.
import { until } from '../until.ts'

type Server = { readonly url: string; readonly apiKey: string; readonly apiKeySecret: string }

export type PinStatus = {
  readonly requestid: string
  readonly status: string
  readonly created: string
  readonly pin: {
    readonly cid: string
    readonly name?: string
    readonly origins?: readonly string[]
    readonly meta?: Readonly<Record<string, string>>
  }
  readonly delegates: readonly string[]
  readonly info: Readonly<Record<string, string>>
}

export type PinResults = { readonly count: number; readonly results: readonly PinStatus[] }

export function psaClient({ url, apiKey, apiKeySecret }: Server) {
  const authorization = `Bearer ${apiKey}:${apiKeySecret}`

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return await fetch(`${url}/psa/pins${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async function json<T>(response: Promise<Response>, status: number): Promise<T> {
    const got = await response
    const text = await got.text()
    if (got.status !== status) throw new Error(`${got.status}: ${text}`)
    return JSON.parse(text) as T
  }

  const find = (id: string) => json<PinStatus>(call('GET', `/${id}`), 200)
  return {
    call,
    find,
    add: (pin: object, id = '') => json<PinStatus>(call('POST', id && `/${id}`, pin), 202),
    list: (query = '') => json<PinResults>(call('GET', query), 200),
    /** Waits until the request has this status. */
    async ends(id: string, status = 'pinned'): Promise<PinStatus> {
      let found: PinStatus | null = null
      await until(async () => {
        found = await find(id)
        if (found.status !== status) throw new Error(JSON.stringify(found))
      }, 30_000)
      return found ?? (await find(id))
    },
  }
}
