// Which pins of an account are public and announced on the IPFS network: a setting of the account, of a key and of a pin. The
// narrowest of the three applies.
// Tested by src/ipfs/pins/public-blocks.test.ts

/** `none`: private. `roots`: public, and the root of each pin is announced. `all`: public, and each block is announced. */
export type Provide = 'none' | 'roots' | 'all'

/** The narrowest first. */
export const provideLevels = ['none', 'roots', 'all'] as const satisfies readonly Provide[]

export function isProvide(value: unknown): value is Provide {
  return provideLevels.includes(value as Provide)
}

/** Of a pin that a request makes. `replaces`: the request names it, so an existing pin gets it too. */
export type PinProvide = { readonly provide: Provide; readonly replaces: boolean }

/**
 * `key`: the setting of the key. `asked`: the option of the request: false excludes the pin, true includes it as far as the
 * key permits, null: a new pin gets the setting of the key, and an existing one stays as it is.
 */
export function pinProvideOf(key: Provide, asked: boolean | null): PinProvide {
  return { provide: asked === false ? 'none' : key, replaces: asked !== null }
}
