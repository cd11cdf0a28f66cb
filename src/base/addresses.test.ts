import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isPublicAddress } from './addresses.ts'

test('the addresses of loopback stay on this machine, and no others', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.8.7', '::1']) assert.ok(isLoopback(host))
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '127.example.org', 'localhost.example.org'])
    assert.ok(!isLoopback(host), host)
})

const closed = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.1.2.3
  169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1
  192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1
  ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:a9fe:a9fe ::7f00:1 64:ff9b::7f00:1 64:ff9b:1::1
  100::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1
  2001::1 2001:0:7f00:1:: 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1
  3fff::1 4000::1 5f00::1 2606:4700::1%1 localhost 2130706433 0x7f.1 0177.0.0.1 127.1
  1.2.3 1.2.3.4.5
`
  .trim()
  .split(/\s+/)
const open = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1']
const openIpv6 = ['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2400::1']

for (const address of ['', ...closed]) {
  test(`${address === '' ? 'the empty text' : address} is not public`, () => {
    assert.equal(isPublicAddress(address), false)
  })
}

test('addresses that are given out to networks are public', () => {
  for (const address of [...open, ...openIpv6])
    assert.equal(isPublicAddress(address), true, address)
})
