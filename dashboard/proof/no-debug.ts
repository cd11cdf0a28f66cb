// Replaces the package `debug` in the dashboard: the EVM's libraries print with it, and it requires a terminal.
// Tested by test/browser/call-proof.test.ts

// oxlint-disable-next-line import/no-default-export -- as in the package
export default function createDebug(): (() => void) & { readonly enabled: false } {
  return Object.assign(() => {}, { enabled: false as const })
}
