import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRedirect, parseRedirects } from './redirects-file.ts'

const found = (text: string, path: string, query = '') =>
  findRedirect(parseRedirects(text), path, query)
const location = (text: string, path: string, query = '') => {
  const target = found(text, path, query)
  return target?.kind === 'move' ? [target.status, target.location] : target
}

test('the first rule that matches decides, with 301 as the default status', () => {
  const text = '/a /one\n/a /two 302\n\n# comment\n \t/b\t/three  307 \n'
  assert.deepEqual(location(text, '/a'), [301, '/one'])
  assert.deepEqual(location(text, '/b'), [307, '/three'])
  assert.equal(location(text, '/c'), null)
  assert.deepEqual(location('/a /one\r\n/b /two 308\r\n', '/b'), [308, '/two'])
})

test('placeholders take one segment each, and the splat takes the rest', () => {
  const posts = '/posts/:year/:month/:title /articles/:title/:year/:title 301'
  assert.deepEqual(location(posts, '/posts/2022/06/hello%20you'), [
    301,
    '/articles/hello%20you/2022/hello%20you',
  ])
  assert.equal(location(posts, '/posts/2022/06'), null)
  assert.equal(location(posts, '/posts/2022//hello'), null)
  assert.equal(location(posts, '/posts/2022/06/hello/more'), null)
  assert.deepEqual(location('/s/* /to/:splat', '/s/a/b'), [301, '/to/a/b'])
  assert.deepEqual(location('/s/* /to/:splat', '/s/'), [301, '/to/'])
  assert.equal(location('/s/* /to/:splat', '/s'), null)
})

test('status 200, 404, 410 and 451 name a file of the site', () => {
  assert.deepEqual(found('/app/* /app/index.html 200', '/app/users/7'), {
    kind: 'page',
    status: 200,
    segments: ['app', 'index.html'],
  })
  for (const status of [404, 410, 451]) {
    assert.deepEqual(found(`/* /p/${status}.html ${status}`, '/x'), {
      kind: 'page',
      status,
      segments: ['p', `${status}.html`],
    })
  }
})

test('values of the request win over those of the rule in the query', () => {
  const text =
    '/a/* /to?x=1&y=2 301\n/b/:code/:name /to?code=:code&name=:name\n/c/* https://example.net/t/:splat'
  assert.deepEqual(location(text, '/a/b'), [301, '/to?x=1&y=2'])
  assert.deepEqual(location(text, '/a/b', 'y=3&z=4'), [301, '/to?x=1&y=3&z=4'])
  assert.deepEqual(location(text, '/b/7/a%26b'), [301, '/to?code=7&name=a%26b'])
  assert.deepEqual(location(text, '/c/d', 'q=1'), [301, 'https://example.net/t/d?q=1'])
  assert.deepEqual(location('/a /b#part', '/a', 'q=1'), [301, '/b?q=1#part'])
})

test('a request cannot choose another server or leave the site', () => {
  assert.deepEqual(location('/* /:splat', '//evil.test/x'), [301, '/evil.test/x'])
  assert.deepEqual(location('/* /:splat', '/%2F%2Fevil.test'), [301, '/%2F%2Fevil.test'])
  assert.deepEqual(location('/* /to/:splat', '/a%0d%0ab'), [301, '/to/a%0D%0Ab'])
  assert.deepEqual(found('/* /in/:splat 200', '/%2e%2e/x'), {
    kind: 'page',
    status: 200,
    segments: ['in', 'x'],
  })
})

test('a target cannot grow without limit, nor become the name of another server', () => {
  const rules = parseRedirects(`/x/* /${':splat'.repeat(2000)} 302\n/y/:a/* /:splat/:a 302`)
  assert.throws(
    () => findRedirect(rules, `/x/${'a'.repeat(1000)}`, ''),
    /more than 8192 characters/,
  )
  const found = findRedirect(rules, '/y/evil.example/', '')
  assert.deepEqual(found, { kind: 'move', status: 302, location: '/evil.example' })
})

test('a malformed rule names its line and what is wrong', () => {
  const message = (line: string) => {
    try {
      parseRedirects(`/ok /fine\n${line}`)
    } catch (thrown) {
      return (thrown as Error).message
    }
    return null
  }
  const begin = 'could not parse _redirects: line 2: '
  for (const [line, reason] of [
    ['/a', 'expected "from to [status]"'],
    ['/a /b 301 more', 'expected "from to [status]"'],
    ['a /b', 'the path "a" does not begin with /'],
    ['/a b', 'the target "b" is neither a path nor an http or https URL'],
    ['/a //evil.test', 'the target "//evil.test" is neither a path nor an http or https URL'],
    ['/a javascript:x', 'the target "javascript:x" is neither a path nor an http or https URL'],
    ['/a https://:splat', 'the target "https://:splat" is neither a path nor an http or https URL'],
    ['/a /b 301!', 'status "301!" is not supported'],
    ['/a /b 999', 'status "999" is not supported'],
    ['/*/a /b', '"/*/a" has a * that is not its last segment'],
    ['/a* /b', '"/a*" has a * that is not its last segment'],
    ['/:x/:x /b', '"/:x/:x" has the placeholder :x twice'],
    ['/: /b', '"/:" has a placeholder without a name'],
    ['/%zz /b', '"/%zz" is malformed'],
    ['/a https://example.org 200', 'status 200 needs a path of the site'],
  ] as const) {
    assert.equal(message(line), begin + reason)
  }
})
