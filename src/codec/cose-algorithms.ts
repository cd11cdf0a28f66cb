// The algorithms that passkeys are asked for.
// Tested by src/codec/authenticator-data.test.ts

/** EdDSA with Ed25519, ES256 with P-256, RS256; by their numbers in the IANA registry of COSE algorithms. */
export type CoseAlgorithm = -8 | -7 | -257

/** The first is liked best. */
export const coseAlgorithms: readonly CoseAlgorithm[] = [-8, -7, -257]
