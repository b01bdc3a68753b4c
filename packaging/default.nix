# The program with its plugins, from the sources that git knows: nix-build packaging
{ pkgs ? import <nixpkgs> { } }:

let
  inherit (pkgs) lib rustPlatform;
  manifest = (lib.importTOML ../Cargo.toml).workspace.package;
in
assert lib.versionAtLeast pkgs.rustc.version manifest.rust-version;
rustPlatform.buildRustPackage {
  pname = "runner";
  inherit (manifest) version;
  src = lib.fileset.toSource {
    root = ../.;
    fileset = lib.fileset.gitTracked ../.;
  };
  cargoLock.lockFile = ../Cargo.lock;
  # The tests drive Python, batch systems and a browser.
  doCheck = false;
  postInstall = ''
    mkdir -p $out/lib/runner/plugins
    mv $out/lib/lib*.so $out/lib/runner/plugins
  '';
  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/runner configs/onemax.toml --repeats 5 --out $TMPDIR/results
  '';
  meta = {
    description = "Experiments in evolutionary search, from TOML configs to Parquet tables";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "runner";
  };
}
