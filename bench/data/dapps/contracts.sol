// SPDX-License-Identifier: MIT
// Contracts of the dapp traffic: the calls, events and storage that pages and indexers use, without access control.
// contracts.json holds their creation code: solc 0.8.30, optimizer on, 200 runs, EVM version prague.
pragma solidity 0.8.30;

/// ERC-20. Holders are numbered, so that one transaction makes hundreds.
contract Token {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function mint(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function mintRange(uint160 first, uint256 count, uint256 value) external {
        for (uint160 at = first; at < first + count; ++at) mint(address(at), value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// A constant-product pair: reserves in one slot, 0.3 % of the input is its fee.
contract Pair {
    Token public immutable token0;
    Token public immutable token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private updatedAt;

    event Sync(uint112 reserve0, uint112 reserve1);
    event Swap(address indexed sender, uint256 amountIn, uint256 amountOut, bool zeroForOne, address indexed to);

    constructor(Token token0_, Token token1_) {
        token0 = token0_;
        token1 = token1_;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, updatedAt);
    }

    function sync() public {
        reserve0 = uint112(token0.balanceOf(address(this)));
        reserve1 = uint112(token1.balanceOf(address(this)));
        updatedAt = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }

    function swap(uint256 amountOut, bool zeroForOne, address to) external {
        (uint256 before0, uint256 before1) = (reserve0, reserve1);
        (zeroForOne ? token1 : token0).transfer(to, amountOut);
        sync();
        uint256 amountIn = zeroForOne ? reserve0 - before0 : reserve1 - before1;
        (uint256 adjusted0, uint256 adjusted1) = (uint256(reserve0) * 1000, uint256(reserve1) * 1000);
        if (zeroForOne) adjusted0 -= amountIn * 3;
        else adjusted1 -= amountIn * 3;
        require(adjusted0 * adjusted1 >= before0 * before1 * 1e6, "K");
        emit Swap(msg.sender, amountIn, amountOut, zeroForOne, to);
    }
}

/// Swaps along paths of pairs, and quotes paths without a swap.
contract Router {
    mapping(Token => mapping(Token => Pair)) public getPair;

    function addPair(Pair pair) external {
        getPair[pair.token0()][pair.token1()] = pair;
        getPair[pair.token1()][pair.token0()] = pair;
    }

    function getAmountsOut(uint256 amountIn, Token[] memory path) public view returns (uint256[] memory amounts) {
        amounts = new uint256[](path.length);
        amounts[0] = amountIn;
        for (uint256 at = 0; at + 1 < path.length; ++at) {
            amounts[at + 1] = amountOut(amounts[at], path[at], path[at + 1]);
        }
    }

    /// The best of several paths, the amount split into parts.
    function quote(uint256 amountIn, Token[][] memory paths, uint256 parts)
        external
        view
        returns (uint256 best, uint256[] memory perPath)
    {
        perPath = new uint256[](paths.length);
        for (uint256 at = 0; at < paths.length; ++at) {
            for (uint256 part = 1; part <= parts; ++part) {
                uint256[] memory amounts = getAmountsOut(amountIn * part / parts, paths[at]);
                perPath[at] = amounts[amounts.length - 1];
            }
            if (perPath[at] > perPath[best]) best = at;
        }
    }

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        Token[] memory path,
        address to,
        uint256 deadline
    ) external returns (uint256[] memory amounts) {
        require(deadline >= block.timestamp, "expired");
        amounts = getAmountsOut(amountIn, path);
        require(amounts[amounts.length - 1] >= amountOutMin, "slippage");
        path[0].transferFrom(msg.sender, address(getPair[path[0]][path[1]]), amountIn);
        for (uint256 at = 0; at + 1 < path.length; ++at) {
            Pair pair = getPair[path[at]][path[at + 1]];
            address next = at + 2 < path.length ? address(getPair[path[at + 1]][path[at + 2]]) : to;
            pair.swap(amounts[at + 1], pair.token0() == path[at], next);
        }
    }

    function amountOut(uint256 amountIn, Token from, Token to) private view returns (uint256) {
        Pair pair = getPair[from][to];
        (uint112 reserve0, uint112 reserve1,) = pair.getReserves();
        (uint256 reserveIn, uint256 reserveOut) = pair.token0() == from ? (reserve0, reserve1) : (reserve1, reserve0);
        return (amountIn * 997 * reserveOut) / (reserveIn * 1000 + amountIn * 997);
    }
}

/// ERC-721 with the enumeration and metadata extensions.
contract Gallery {
    string public constant name = "Gallery";
    string public constant symbol = "GAL";
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    mapping(address => uint256[]) private owned;
    mapping(uint256 => uint256) private places;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function balanceOf(address owner) external view returns (uint256) {
        return owned[owner].length;
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        return owned[owner][index];
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        require(ownerOf[tokenId] != address(0), "unknown token");
        return string.concat("ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/", text(tokenId), ".json");
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x780e9d63;
    }

    function mint(address to, uint256 count) external {
        for (uint256 at = 0; at < count; ++at) add(to, ++totalSupply);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == from && msg.sender == from, "not the owner");
        uint256 last = owned[from][owned[from].length - 1];
        owned[from][places[tokenId]] = last;
        places[last] = places[tokenId];
        owned[from].pop();
        put(from, to, tokenId);
    }

    function add(address to, uint256 tokenId) private {
        put(address(0), to, tokenId);
    }

    function put(address from, address to, uint256 tokenId) private {
        ownerOf[tokenId] = to;
        places[tokenId] = owned[to].length;
        owned[to].push(tokenId);
        emit Transfer(from, to, tokenId);
    }

    function text(uint256 value) private pure returns (string memory) {
        bytes memory digits = new bytes(5);
        for (uint256 at = 5; at > 0; --at) {
            digits[at - 1] = bytes1(uint8(48 + value % 10));
            value /= 10;
        }
        return string(digits);
    }
}

/// Many reads in one call, with the interface of Multicall3.
contract Multicall {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 at = 0; at < calls.length; ++at) {
            (bool success, bytes memory returnData) = calls[at].target.call(calls[at].callData);
            require(success || calls[at].allowFailure, "Multicall3: call failed");
            results[at] = Result(success, returnData);
        }
    }

    function getEthBalance(address owner) external view returns (uint256) {
        return owner.balance;
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }
}
