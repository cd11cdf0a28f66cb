// A scope for what all tests of a file share: it is ended after the last one.
import { after, type TestContext } from 'node:test'

export function cleanUpAfter(): Pick<TestContext, 'after'> {
  const ends: (() => unknown)[] = []
  after(async () => {
    for (const end of ends) await end()
  })
  return { after: (end) => void ends.unshift(end as () => unknown) }
}
