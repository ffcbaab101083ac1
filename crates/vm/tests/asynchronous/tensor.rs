//! Tensor copies as whole kernels: stores, reductions, multicast, loads through maps that the kernel changed, and the
//! changes themselves.

use crate::recorded::Group;

#[test]
fn stores() {
    assert_eq!(Group::read("tma_store").check(|_| true), (250, 138));
}

#[test]
fn reductions() {
    assert_eq!(Group::read("tma_reduce").check(|_| true), (77, 16));
}

#[test]
fn multicast_and_interleaved_loads() {
    // Interleaved loads wait for more bytes than come, and look 300 times; what is left of the count was recorded.
    assert_eq!(Group::read("tma_multicast").check(|_| true), (59, 5));
}

#[test]
fn masks() {
    assert_eq!(Group::read("faults").check(|name| name.starts_with("tensor multicast")), (1, 2));
}

#[test]
fn replaced_fields() {
    assert_eq!(Group::read("tensormap_replace").check(|_| true), (60, 0));
}

#[test]
fn loads_through_replaced_maps() {
    // The kernels write the map out too, which begins with the tensor's address.
    assert_eq!(Group::read("tensormap_load").with_address_at(12_288).check(|_| true), (41, 1));
}
