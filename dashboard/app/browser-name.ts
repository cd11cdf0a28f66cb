// What a browser is called, by what it calls itself. Pure.

const browsers: readonly (readonly [form: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/HeadlessChrome\/|Chromium\//, 'Chromium'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly (readonly [form: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** `Firefox on Linux`, or what it calls itself. */
export function browserName(agent: string): string {
  const browser = browsers.find(([form]) => form.test(agent))?.[1]
  const system = systems.find(([form]) => form.test(agent))?.[1]
  if (browser === undefined) return agent === '' ? 'unknown' : agent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
