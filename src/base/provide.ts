// Which pins of an account are public and announced on the IPFS network: a setting of the account, the key and the pin. The
// narrowest of the three applies.
// Tested by src/ipfs/pins/public-blocks.test.ts

/** `none`: private. `roots`: public, and the root of each pin is announced. `all`: public, and each block is announced. */
export type Provide = 'none' | 'roots' | 'all'

/** Narrowest first. */
export const provideLevels = ['none', 'roots', 'all'] as const satisfies readonly Provide[]

export function isProvide(value: unknown): value is Provide {
  return provideLevels.includes(value as Provide)
}

/** The value for a pin request. `replaces`: the request names the value, so it also applies to an existing pin. */
export type PinProvide = { readonly provide: Provide; readonly replaces: boolean }

/**
 * `key`: the setting of the key. `requested`: the option of the request. False: the pin is private. True: it is public as far as the
 * key permits. Null: a new pin gets the setting of the key, and an existing one does not change.
 */
export function pinProvideOf(key: Provide, requested: boolean | null): PinProvide {
  return { provide: requested === false ? 'none' : key, replaces: requested !== null }
}
