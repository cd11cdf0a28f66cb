>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0xca1c0000000000000000000000000000000000e2","gas":"0x186a0"},"latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x000000000000000000000000000000000000000000000000000000000000002a"}}
