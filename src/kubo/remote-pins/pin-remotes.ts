// Other pinning services of accounts: name, endpoint and access token. The token is stored encrypted and never shown again.
// Tested by src/kubo/remote-pins/pin-remotes.test.ts
import { createSecretEncryption } from '../../access/people/secret-encryption.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { parseTarget } from '../../base/outbound.ts'
import type { Rows } from '../../db/rows.ts'
import { isStorableText } from '../../db/storable-text.ts'
import { NothingChanged } from '../../db/writer.ts'
import {
  deletePinRemote,
  findPinRemote,
  insertPinRemote,
  listPinRemotes,
  type PinRemoteRow,
} from '../../tables/pinning/pin-remotes.ts'
import { failed } from '../kubo-command.ts'

/** `endpoint`: URL without a trailing slash. `token`: null if the server cannot decrypt it. */
export type PinRemote = {
  readonly name: string
  readonly endpoint: string
  readonly token: string | null
}

export interface PinRemotes {
  /** Throws `command_failed` with Kubo's texts, and for an endpoint that is not allowed. */
  add(
    accountId: string,
    remote: { readonly name: string; readonly endpoint: string; readonly token: string },
  ): Promise<void>
  /** Ordered by name. */
  list(accountId: string): Promise<readonly PinRemote[]>
  /** Throws `command_failed` with Kubo's texts. */
  get(accountId: string, name: string): Promise<PinRemote>
  /** Does nothing if the service does not exist. */
  remove(accountId: string, name: string): Promise<void>
}

/** Maximum number of services of an account. */
const remotesMax = 64
const nameCharsMax = 255
const tokenCharsMax = 8192

/**
 * `sealSecret`: secret bytes of this server, from which the encryption key is derived. `anywhere`: also allows private addresses
 * and http.
 */
export function createPinRemotes(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly sealSecret: () => Uint8Array
  readonly anywhere: () => boolean
}): PinRemotes {
  const { rows, clock, anywhere } = parts
  const encryption = createSecretEncryption(parts.sealSecret, 'cairn seal of a pinning service')
  const ownerOf = (accountId: string, name: string): string => `${accountId} ${name}`

  function toRemote(accountId: string, { name, endpoint, sealed }: PinRemoteRow): PinRemote {
    const token = encryption.open(sealed, ownerOf(accountId, name))
    return { name, endpoint, token: token === null ? null : Buffer.from(token).toString('utf8') }
  }

  return {
    async add(accountId, { name, endpoint, token }) {
      checkTexts(name, token)
      const url = normalized(endpoint, anywhere())
      const sealed = encryption.close(Buffer.from(token), ownerOf(accountId, name))
      const row = { name, endpoint: url, sealed }
      try {
        const how = { created: clock.now(), max: remotesMax }
        await rows.write([insertPinRemote(accountId, row, how)])
      } catch (thrown) {
        if (!(thrown instanceof NothingChanged)) throw thrown
        const isPresent = (await rows.first(findPinRemote(accountId, name))) !== null
        throw failed(isPresent ? 'service already present' : `more than ${remotesMax} services`)
      }
    },

    async list(accountId) {
      const found = await rows.find(listPinRemotes(accountId, remotesMax))
      return found.map((row) => toRemote(accountId, row))
    },

    async get(accountId, name) {
      if (name === '') throw failed('remote pinning service name not specified')
      const row = await rows.first(findPinRemote(accountId, name))
      if (row === null) throw failed('service not known')
      return toRemote(accountId, row)
    },

    remove: async (accountId, name) => void (await rows.write([deletePinRemote(accountId, name)])),
  }
}

function checkTexts(name: string, token: string): void {
  if (name === '' || name.length > nameCharsMax || !isStorableText(name)) {
    throw failed(`service name must have 1 to ${nameCharsMax} characters`)
  }
  // The token is sent in a header.
  if (token.length > tokenCharsMax || !/^[\x21-\x7e]+$/.test(token)) {
    throw failed(`service key must be 1 to ${tokenCharsMax} visible ASCII characters`)
  }
}

/** Without trailing slashes, as Kubo stores it. */
function normalized(endpoint: string, anywhere: boolean): string {
  const isUrl = /^https?:\/\//i.test(endpoint) && URL.canParse(endpoint)
  if (!isUrl) throw failed('service endpoint must be a valid HTTP URL')
  const url = new URL(endpoint)
  url.pathname = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  if (url.search !== '') {
    throw failed('service endpoint should be provided without any query parameters')
  }
  if (url.pathname.endsWith('/pins')) {
    throw failed('service endpoint should be provided without the /pins suffix')
  }
  try {
    parseTarget(url.href, anywhere, 'service endpoint must be a URL like https://example.com/psa')
  } catch (thrown) {
    throw failed(Fault.from(thrown).message)
  }
  return url.href.replace(/\/$/, '')
}
